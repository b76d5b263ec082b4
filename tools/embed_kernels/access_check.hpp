// SPDX-License-Identifier: BSD-3-Clause
// Compares how kernels access their parameters with the access modes that their loops declare.
#pragma once

#include <string>
#include <vector>

#include <clang/AST/Decl.h>

#include "loops.hpp"
#include "options.hpp"

namespace op2::embed {

/// Kernels that violate an access mode: warnings, or errors with AccessCheck::error. Those that use
/// values of others whatever the data, and parameters that do not match the arguments in number or
/// type: errors. Reports nothing where it is not certain.
std::vector<jit::Diagnostic> access_faults(const Unit& unit, const Loops& loops, AccessCheck check);

/// What is proven of a kernel when a program is built, so that it needs no compiler for that later:
/// lines as in jit/embedded_facts.hpp, one for each form of the loops that call it, each once.
/// Empty if nothing can be proven.
std::string facts_of(const Unit& unit, const Loops& loops, const clang::FunctionDecl& kernel);

}  // namespace op2::embed
