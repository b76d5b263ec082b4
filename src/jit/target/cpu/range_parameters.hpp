// SPDX-License-Identifier: BSD-3-Clause
// The parameters of the functions inside a range function, and what they find in its bindings.
#pragma once

#include <string>
#include <vector>

#include <jit/target/emit_parts.hpp>

namespace op2::jit {

/// Blocks of reduced globals up to this dim are kept in local variables, hence in registers: a
/// store to memory in every iteration would be slow and prevent vectorisation.
inline constexpr int largest_local_block = 16;

inline bool is_local_block(const ArgShape& arg) {
  return is_global(arg) && writes(arg) && arg.dim <= largest_local_block;
}

/// A parameter of an inner function, and its value in the range function.
struct Parameter {
  std::string declaration;
  std::string value;
};

/// One pointer for each distinct dat, because only different dats never alias; one for each
/// distinct map, each global and each table of indices.
std::vector<Parameter> parameters_of(const std::vector<ArgShape>& args);

/// The row of an indirect argument, read from its map.
std::string map_entry(const ArgShape& arg);

}  // namespace op2::jit
