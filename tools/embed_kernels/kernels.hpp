// SPDX-License-Identifier: BSD-3-Clause
// All kernels of a unit, with their source or the reason why there is none. A source is the closure
// of a kernel in the order of the unit, and a function to call by name.
#pragma once

#include <string>
#include <vector>

#include "closure.hpp"
#include "loops.hpp"

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

struct EmbeddedKernel {
  const clang::FunctionDecl* function;
  jit::Diagnostic location;
  KernelSource source;  ///< `source.code` is empty if there is a reason
  std::string reason;   ///< why there is no source
  std::string facts;    ///< lines of AccessReport::facts
  bool can_be_named;    ///< code appended to the unit can take the function's address
};

/// Each once, in the order of the loops, followed by the functions that may be passed to a loop in
/// a variable.
/// @param unsupported_flag  compiler flag because of which no kernel gets a source; empty: none
std::vector<EmbeddedKernel> embed_kernels(const Unit& unit, const Loops& loops,
                                          const AccessReport& access,
                                          const std::string& unsupported_flag);

/// The kernel of `function`, or null.
const EmbeddedKernel* find(const std::vector<EmbeddedKernel>& kernels,
                           const clang::FunctionDecl* function);

/// Why a loop calls its kernel through the function pointer; empty: every kernel it may have got
/// has a source.
std::string loop_reason(const Loop& loop, const std::vector<EmbeddedKernel>& kernels);

}  // namespace op2::embed
