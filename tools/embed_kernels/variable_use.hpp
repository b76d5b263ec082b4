// SPDX-License-Identifier: BSD-3-Clause
// Whether a kernel that takes pointers or references to variables of the program changes them.
#pragma once

#include <optional>
#include <set>

#include <clang/AST/Decl.h>

#include "closure.hpp"
#include "parse_unit.hpp"

namespace op2::embed {

/// What becomes of the variables that a text names.
struct VariableUse {
  /// Used through pointers or references to non-const, and by all of these only read.
  std::set<const clang::VarDecl*> only_read;
  std::optional<Fault> change;  ///< one is changed
  std::optional<Fault> loss;    ///< a pointer or reference to non-const to one gets out of sight
  bool is_clear = true;         ///< false: one is named where it is not followed
};

/// Follows variables through local pointers, references and parameters of functions whose bodies
/// are known, wherever control goes: what a pointer may hold at one place it may hold at all.
VariableUse use_of_variables(const Unit& unit, const Closure& closure);

/// Gives the text references to non-const instead of these variables.
void add_references(const std::set<const clang::VarDecl*>& variables,
                    const clang::ASTContext& context, Closure& closure);

}  // namespace op2::embed
