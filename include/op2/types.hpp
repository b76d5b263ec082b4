// SPDX-License-Identifier: BSD-3-Clause
// The words of the OP2 abstraction: access modes, value types and the handles of sets, maps, dats,
// kernels and globals. Handles point to OP2-shaped structs whose fields may be read by anyone and
// are written by the library alone; they live from their declaration to `op_exit`.
#pragma once

#include <concepts>
#include <cstdint>

#include <op2/handles.h>

/// What a loop does with an argument. A promise that the library relies on: it decides what is
/// exchanged, ordered, overlapped and checked.
enum op_access : int {
  OP_READ = 0,   ///< read only; the kernel's parameter must be a pointer to const
  OP_WRITE = 1,  ///< every component is written, none is read before. A raw global: every element
                 ///< that writes gives it the same value, else that of any of them counts
  OP_RW = 2,     ///< read and written
  OP_INC = 3,    ///< added to (bool: true if anything added is); directly accessed increments may
                 ///< also read the new value
  OP_MIN = 4,    ///< globals only: the minimum over the owned elements and the start value
  OP_MAX = 5     ///< globals only: the maximum over the owned elements and the start value
};

/// Which sort of thing an `op_arg` refers to.
enum op_arg_type : int { OP_ARG_GBL = 0, OP_ARG_DAT = 1, OP_ARG_IDX = 2, OP_ARG_INFO = 3 };

namespace op2 {

/// The value types of dats, constants and globals. Their names in type strings are "double",
/// "float", "int", "uint", "ll", "ull" and "bool"; the spellings of C++ are accepted too.
enum class Type : std::uint8_t { f64, f32, i32, u32, i64, u64, b8 };

/// The C++ types that may be stored: those that have a `Type` of the same width and signedness.
template <class T>
concept Value = std::same_as<T, double> || std::same_as<T, float> || std::same_as<T, bool> ||
                (std::integral<T> && (sizeof(T) == 4 || sizeof(T) == 8));

/// The `Type` of a C++ type; `long` and `long long` are both 64-bit integers.
template <Value T>
constexpr Type type_of() {
  if constexpr (std::same_as<T, double>) return Type::f64;
  if constexpr (std::same_as<T, float>) return Type::f32;
  if constexpr (std::same_as<T, bool>) return Type::b8;
  if constexpr (std::integral<T> && sizeof(T) == 4)
    return std::signed_integral<T> ? Type::i32 : Type::u32;
  if constexpr (std::integral<T> && sizeof(T) == 8)
    return std::signed_integral<T> ? Type::i64 : Type::u64;
}

}  // namespace op2

/// A global value that lives with the queue: reduced, set and read in the order of the calls.
struct op_global_core {
  int index;
  int dim;
  const char* type;
  const char* name;
};
using op_global = op_global_core*;

/// The map of a directly accessed argument: the identity.
inline constexpr op_map OP_ID = nullptr;
