// SPDX-License-Identifier: BSD-3-Clause
// The text of a kernel: its closure in the order of the unit, and a function that can be named.
#pragma once

#include <string>
#include <vector>

#include <clang/AST/Decl.h>

#include "closure.hpp"
#include "parse_unit.hpp"

namespace op2::embed {

struct KernelText {
  std::string name;  ///< of the function that has to be called
  std::string text;
  std::vector<BoundVariable> variables;
};

/// A declaration at namespace scope and the namespaces that it is in, from the outermost.
struct TopDeclaration {
  const clang::Decl* declaration;
  std::vector<const clang::NamespaceDecl*> namespaces;
};

/// All of the unit's own, in its order.
std::vector<TopDeclaration> top_declarations(const Unit& unit);

/// @param closure  without fault
KernelText text_of(const Unit& unit, const std::vector<TopDeclaration>& declarations,
                   const Closure& closure, const clang::FunctionDecl& kernel);

}  // namespace op2::embed
