// SPDX-License-Identifier: BSD-3-Clause
// Whether a loop may execute several elements at once, one in each lane of the CPU's vectors.
#pragma once

#include <string>

#include <jit/loop_nest.hpp>

namespace op2::jit {

struct Lanes {
  int width = 1;    ///< elements at once; 1: one after the other
  std::string why;  ///< if 1: the reason, to be shown after "scalar: "; may be empty
};

/// Elements of different lanes must not see each other's changes: a dat that the loop modifies is
/// either reached by one argument, directly, or incremented through maps and not read.
/// @param vector_bytes  of the CPU's widest vectors; 0: it has none
Lanes lanes_of(const std::vector<ArgShape>& args, int vector_bytes);

/// "8 wide", or "scalar: " and the reason if there is one.
std::string words_of(const Lanes& lanes);

}  // namespace op2::jit
