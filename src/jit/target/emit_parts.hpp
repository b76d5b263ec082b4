// SPDX-License-Identifier: BSD-3-Clause
// What the emitters of all targets have in common: kinds of arguments, types, rows. Names in
// emitted source begin with op2_.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <core/value_type.hpp>
#include <jit/loop_nest.hpp>

namespace op2::jit {

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
/// Whether rows keep the least or greatest of what elements give them, in whatever order.
inline bool is_extreme_row(const ArgShape& arg) {
  return is_dat(arg) && is_indirect(arg) && core::is_extreme(arg.access);
}

/// Whether values are 64-bit integers: `long` and `long long` have the same size but differ as
/// types.
inline bool is_64_bit_integer(const ArgShape& arg) {
  return arg.active && arg.kind != OP_ARG_IDX && (arg.type == Type::i64 || arg.type == Type::u64);
}

/// Whether an argument is a payload that elements set in any order.
inline bool is_payload(const ArgShape& arg) {
  return arg.active && arg.extreme >= 0;
}

/// Positions of such payloads of a minimum or maximum.
std::vector<std::size_t> payloads_of(std::span<const ArgShape> args, std::size_t extreme);

/// Positions of the minima and maxima that have some.
std::vector<std::size_t> extremes_of(std::span<const ArgShape> args);

/// A value that every other one replaces, as an expression.
std::string worst_value(const ArgShape& extreme);

/// The local variable in which an element offers a new extreme or payload.
std::string offer_declaration(const ArgShape& arg, std::size_t position);

/// Comments that name the kernels and describe the arguments.
std::string heading_of(const LoopNest& nest);

/// The numbers of the dats that some argument modifies.
std::set<int> written_dats(std::span<const ArgShape> args);

/// The type that the kernel's pointer points to, also for an argument that is off.
std::string type_of(const ArgShape& arg);

/// The type of a dat's or a global's values, const unless they are written.
std::string element_type(const ArgShape& arg, bool written);

int dim_of(const ArgShape& arg);

/// The variable that holds the row of an indirect argument: "op2_row0_1" for column 1 of map 0.
std::string row_name(const ArgShape& arg);

/// One argument for each distinct column of a map, in order of first appearance.
std::vector<ArgShape> columns_of(std::span<const ArgShape> args);

/// The address of a dat's row.
/// @param row  an expression
std::string row_address(const ArgShape& arg, const std::string& row);

/// The index that the kernel gets for a row.
/// @param row  an expression
std::string number_of_row(std::size_t position, const std::string& row);

// What generated code passes to the kernels of a nest.

/// Whether the argument is the first of several columns that are one parameter of the kernel.
bool is_vector(const LoopNest& nest, const CallArg& arg);

/// Statements that declare an array of pointers for each vector argument of a call.
/// @param pointers  one for each of the nest's arguments, to its data
/// @param indent    of the statements
std::string vector_declarations(const LoopNest& nest, std::size_t call,
                                const std::vector<std::string>& pointers,
                                const std::string& indent);

/// How an expression becomes an actual argument.
/// @param is_any  the kernel's parameter decides the type of the pointer
using PassPointer = std::function<std::string(const std::string& pointer, bool is_any)>;

/// One expression for each parameter of a kernel; nullptr for arguments that are off.
std::vector<std::string> actual_arguments(const LoopNest& nest, std::size_t call,
                                          const std::vector<std::string>& pointers,
                                          const PassPointer& pass);

}  // namespace op2::jit
