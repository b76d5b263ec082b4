// SPDX-License-Identifier: BSD-3-Clause
// Whether a kernel that takes pointers or references to variables of the program modifies them.
#pragma once

#include <optional>
#include <set>

#include <clang/AST/Decl.h>

#include "closure.hpp"
#include "unit.hpp"

namespace op2::embed {

/// How a kernel uses the variables of the program that it names.
struct VariableUse {
  /// Accessed through non-const pointers or references, which only read them.
  std::set<const clang::VarDecl*> only_read;
  std::optional<Fault> change;  ///< a variable is modified
  std::optional<Fault>
      loss;              ///< a non-const pointer or reference to a variable escapes the analysis
  bool is_clear = true;  ///< false: a variable is named where uses are not followed
};

/// Follows variables through local pointers, references and parameters of functions whose bodies
/// are known. Flow-insensitive: what a pointer may hold at one point it may hold anywhere.
VariableUse use_of_variables(const Unit& unit, const Closure& closure);

/// Replaces these variables in the source by non-const references to them.
void add_references(const std::set<const clang::VarDecl*>& variables,
                    const clang::ASTContext& context, Closure& closure);

}  // namespace op2::embed
