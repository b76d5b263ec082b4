// SPDX-License-Identifier: BSD-3-Clause
// The access modes of a loop's arguments: how a kernel certainly violates them, and what is certain
// about its use of them on every path. Used by op2-embed-kernels when a program is built, and by
// the run-time compiler.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <clang/AST/Decl.h>

#include <jit/kernel_facts.hpp>
#include <jit/llvm/access/access_use.hpp>
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

/// Limits of the analysis in steps of some 0.3 us: of faults when a program is built and at run
/// time, and of proofs.
inline constexpr int steps_at_build = 20000, steps_at_run = 12000, steps_of_proof = 60000;

/// How `kernel`, which has a body, violates the rules; only what is certain.
/// @param rules       one for each parameter
/// @param most_steps  beyond this limit nothing is reported
std::vector<AccessFinding> access_findings(const clang::FunctionDecl& kernel,
                                           const std::vector<AccessRule>& rules, int most_steps);

/// What `kernel`, which has a body, does on every path, whatever the data.
/// @param rules  one for each parameter; only dats that are written or OP_RW have facts, or an
/// obstacle
///               to the fact that the access mode asks for, unless access_findings reports an index
///               beyond an OP_WRITE
std::vector<ParameterFacts> access_facts(const clang::FunctionDecl& kernel,
                                         const std::vector<AccessRule>& rules, int most_steps);

}  // namespace op2::jit
