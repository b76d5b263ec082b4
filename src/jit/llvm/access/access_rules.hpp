// SPDX-License-Identifier: BSD-3-Clause
// The access modes of a loop's arguments, and how a kernel breaks them. The tool that reads
// programs when they are built and the compiler of sources judge alike: both ask here.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <clang/AST/Decl.h>
#include <clang/Basic/SourceLocation.h>

#include <jit/llvm/access/access_state.hpp>
#include <op2/types.hpp>

namespace op2::jit {

/// The access mode of one argument.
struct AccessRule {
  bool is_known = true;             ///< false: nothing, so nothing is compared
  std::optional<op_access> access;  ///< nothing: only the extent and whether it is used count
  Extent extent;
  bool set_by_some = false;    ///< OP_WRITE: not every element need set it
  bool keeps_rest = false;     ///< OP_WRITE: what is not set keeps its value
  bool has_copies = false;     ///< OP_INC: threads and ranks add to copies of it
  bool may_be_unused = false;  ///< it costs nothing: an element's number
};

struct AccessFault {
  std::size_t argument = 0;
  clang::SourceLocation place;
  std::string what;          ///< after "kernel 'flux' ", e.g. "writes it"
  std::string advice;        ///< what to do
  bool is_omission = false;  ///< something is not written: no fault of an argument that may be off
};

/// How far kernels are followed, in steps of some 0.3 us: where a program is built, and where it
/// waits.
inline constexpr int steps_at_build = 20000, steps_at_run = 12000;

/// How `kernel`, which has a body, breaks the rules; nothing where that is not sure.
/// @param rules       one for each parameter
/// @param most_steps  what takes more is not judged
std::vector<AccessFault> access_faults(const clang::FunctionDecl& kernel,
                                       const std::vector<AccessRule>& rules, int most_steps);

}  // namespace op2::jit
