// SPDX-License-Identifier: BSD-3-Clause
// The source of a kernel: its closure in the order of the unit, and a function to call by name.
#pragma once

#include <string>
#include <vector>

#include <clang/AST/Decl.h>

#include "closure.hpp"
#include "unit.hpp"

namespace op2::embed {

struct KernelSource {
  std::string name;  ///< of the function to call
  std::string code;  ///< C++; empty: there is none
  std::vector<BoundVariable> variables;
};

/// A declaration at namespace scope and its enclosing namespaces, outermost first.
struct TopDeclaration {
  const clang::Decl* declaration;
  std::vector<const clang::NamespaceDecl*> namespaces;
};

/// All declarations of the program (not of standard libraries), in the order of the unit.
std::vector<TopDeclaration> top_declarations(const Unit& unit);

/// @param closure  without fault
KernelSource source_of(const Unit& unit, const std::vector<TopDeclaration>& declarations,
                       const Closure& closure, const clang::FunctionDecl& kernel);

}  // namespace op2::embed
