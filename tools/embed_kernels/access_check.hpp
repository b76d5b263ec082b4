// SPDX-License-Identifier: BSD-3-Clause
// Compares how kernels access their parameters with the access modes that their loops declare.
#pragma once

#include <string>
#include <vector>

#include <clang/AST/Decl.h>

#include <jit/llvm/access/access_rules.hpp>

#include "loops.hpp"
#include "message.hpp"
#include "options.hpp"

namespace op2::embed {

/// What the call of a loop says about an argument.
jit::AccessRule rule_of(const LoopArgument& argument);

/// What is wrong if a parameter's type is not that of the argument's data; otherwise empty.
std::string type_fault(const Unit& unit, const clang::ParmVarDecl& parameter,
                       const LoopArgument& argument);

/// Kernels that violate an access mode: warnings, or errors with AccessCheck::error. Those that use
/// values of others whatever the data, and parameters that do not match the arguments in number or
/// type: errors. Reports nothing where it is not certain.
std::vector<Message> access_faults(const Unit& unit, const Loops& loops, AccessCheck check);

}  // namespace op2::embed
