// SPDX-License-Identifier: BSD-3-Clause
// The access modes of a loop's arguments: how a kernel certainly violates them, and what is certain
// about its use of them on every path. Used by op2-embed-kernels when a program is built, and by
// the run-time compiler.
#pragma once

#include <optional>
#include <vector>

#include <clang/AST/Decl.h>

#include <jit/kernel_facts.hpp>
#include <jit/llvm/access/access_walk.hpp>
#include <op2/types.hpp>

namespace op2::jit {

/// The access mode of one argument.
struct AccessRule {
  bool is_known = true;             ///< false: nothing, so nothing is compared
  std::optional<op_access> access;  ///< nothing: only extent and use are checked
  Extent extent;
  bool set_by_some = false;    ///< OP_WRITE: not every element needs to set it
  bool keeps_rest = false;     ///< OP_WRITE: components that are not set keep their values
  bool has_copies = false;     ///< OP_INC: threads and ranks add to copies of it
  bool may_be_unused = false;  ///< an index argument, which costs nothing
};

/// What the source of a kernel says about its access to the arguments.
struct AccessAnalysis {
  /// How the kernel violates the rules; only what is certain.
  std::vector<AccessFinding> findings;
  /// What it does on every path, whatever the data, one for each rule. Only dats that are written
  /// or OP_RW have facts, or an obstacle to the fact that the access mode asks for, unless a
  /// finding reports an index beyond an OP_WRITE.
  std::vector<ArgumentFacts> facts;
};

/// @param kernel  which has a body
/// @param rules   one for each parameter
AccessAnalysis analyse_access(const clang::FunctionDecl& kernel,
                              const std::vector<AccessRule>& rules);

}  // namespace op2::jit
