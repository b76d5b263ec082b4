// SPDX-License-Identifier: BSD-3-Clause
// All kernels of a unit, with their source or the reason why there is none.
#pragma once

#include <string>
#include <vector>

#include "kernel_source.hpp"
#include "loops.hpp"

namespace op2::embed {

struct EmbeddedKernel {
  const clang::FunctionDecl* function;
  jit::Diagnostic location;
  KernelSource source;  ///< `source.code` is empty if there is a reason
  std::string reason;   ///< why there is no source
  std::string facts;    ///< as facts_of
  bool can_be_named;    ///< code appended to the unit can take the function's address
};

/// Each once, in the order of the loops, followed by the functions that may be passed to a loop in
/// a variable.
/// @param unsupported_flag  compiler flag because of which no kernel gets a source; empty: none
std::vector<EmbeddedKernel> embed_kernels(const Unit& unit, const Loops& loops,
                                          const std::string& unsupported_flag);

/// The kernel of `function`, or null.
const EmbeddedKernel* find(const std::vector<EmbeddedKernel>& kernels,
                           const clang::FunctionDecl* function);

/// Why a loop calls its kernel through the function pointer; empty: every kernel it may have got
/// has a source.
std::string loop_reason(const Loop& loop, const std::vector<EmbeddedKernel>& kernels);

}  // namespace op2::embed
