// SPDX-License-Identifier: BSD-3-Clause
// All kernels of a unit, with their texts or the reasons why there is none.
#pragma once

#include <string>
#include <vector>

#include "loops.hpp"
#include "message.hpp"
#include "text.hpp"

namespace op2::embed {

struct EmbeddedKernel {
  const clang::FunctionDecl* function;
  Place place;
  KernelText text;     ///< `text.text` is empty if there is a reason
  std::string reason;  ///< why there is no text
  bool can_be_named;   ///< code behind the unit can take the function's address
};

/// Each once, in the order of the loops; behind them functions that a loop may be given through a
/// variable.
/// @param flag_beyond_texts  of the compiler, for which none has a text; empty: there is none
std::vector<EmbeddedKernel> embed_kernels(const Unit& unit, const Loops& loops,
                                          const std::string& flag_beyond_texts);

/// The one of `function`, or null.
const EmbeddedKernel* find(const std::vector<EmbeddedKernel>& kernels,
                           const clang::FunctionDecl* function);

/// Why a loop runs a function pointer; empty: its kernel is known, or is one of those that are.
std::string loop_reason(const Loop& loop, const std::vector<EmbeddedKernel>& kernels);

}  // namespace op2::embed
