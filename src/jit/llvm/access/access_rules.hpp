// SPDX-License-Identifier: BSD-3-Clause
// The access modes of a loop's arguments, and how a kernel violates them. Used by op2-embed-kernels
// when a program is built, and by the run-time compiler.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <clang/AST/Decl.h>
#include <clang/Basic/SourceLocation.h>

#include <jit/access_finding.hpp>
#include <jit/llvm/access/access_state.hpp>
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

struct AccessFault {
  std::size_t argument = 0;
  clang::SourceLocation place;
  std::string what;              ///< after "kernel 'flux' ", e.g. "writes it"
  std::string advice;            ///< what to do
  bool is_omission = false;      ///< something is not written: allowed if the argument may be off
  Beyond beyond = Beyond::none;  ///< the index of a value
};

/// Limits of the analysis in steps of some 0.3 us: when a program is built, and at run time.
inline constexpr int steps_at_build = 20000, steps_at_run = 12000;

/// How `kernel`, which has a body, violates the rules; only what is certain.
/// @param rules       one for each parameter
/// @param most_steps  beyond this limit nothing is reported
std::vector<AccessFault> access_faults(const clang::FunctionDecl& kernel,
                                       const std::vector<AccessRule>& rules, int most_steps);

}  // namespace op2::jit
