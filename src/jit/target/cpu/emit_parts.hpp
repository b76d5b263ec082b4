// SPDX-License-Identifier: BSD-3-Clause
// What the emitted functions of a loop have in common: kinds of arguments, parameters, rows. Names
// in emitted source begin with op2_.
#pragma once

#include <string>
#include <vector>

#include <jit/loop_nest.hpp>

namespace op2::jit {

/// Blocks of reduced globals up to this dim are kept in local variables, hence in registers: a
/// store to memory in every iteration would be slow and prevent vectorisation.
inline constexpr int largest_local_block = 16;

inline bool writes(const ArgShape& arg) {
  return arg.access != OP_READ;
}
inline bool is_dat(const ArgShape& arg) {
  return arg.active && arg.kind == OP_ARG_DAT;
}
inline bool is_global(const ArgShape& arg) {
  return arg.active && arg.kind == OP_ARG_GBL;
}
inline bool is_indirect(const ArgShape& arg) {
  return arg.active && arg.map >= 0;
}
inline bool is_number(const ArgShape& arg) {
  return arg.active && arg.kind == OP_ARG_IDX;
}
/// Whether values are 64-bit integers: `long` and `long long` have the same size but differ as
/// types.
inline bool is_64_bit_integer(const ArgShape& arg) {
  return arg.active && arg.kind != OP_ARG_IDX && (arg.type == Type::i64 || arg.type == Type::u64);
}
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

/// The type that the kernel's pointer points to, also for an argument that is off.
std::string type_of(const ArgShape& arg);
int dim_of(const ArgShape& arg);

/// The variable that holds the row of an indirect argument: "op2_row0_1" for column 1 of map 0.
std::string row_name(const ArgShape& arg);

/// That row, read from the map.
std::string map_entry(const ArgShape& arg);

/// One argument for each distinct column of a map, in order of first appearance.
std::vector<ArgShape> columns_of(const std::vector<ArgShape>& args);

/// The address of a dat's row.
/// @param row  an expression
std::string row_address(const ArgShape& arg, const std::string& row);

/// The index that the kernel gets for a row.
/// @param row  an expression
std::string number_of_row(std::size_t position, const std::string& row);

}  // namespace op2::jit
