// SPDX-License-Identifier: BSD-3-Clause
// The types of the OP2 abstraction: access modes, value types and the handles of sets, maps, dats,
// kernels and globals. Handles point to structs whose fields programs may read and only the library
// writes; they are valid from their declaration to `op_exit`. All other headers of programs for
// op2.hpp include this one, so each of them says what is needed when it is included with an older
// C++.
#pragma once

#if __cplusplus < 202002L
#error \
    "libop2 needs C++20: add -std=c++20 (g++ 12, clang++ 14 or newer), or target_compile_features(program PRIVATE cxx_std_20). Programs with OP2's op_seq.h need only C++11: use the flags of op2-compat"
#include <op2/no_such_file>  // ends the compilation: what follows would be hundreds of errors
#endif

#include <concepts>
#include <cstdint>

#include <op2/handles.h>

/// How a loop accesses an argument. The library relies on it: halo exchanges, the order of loops,
/// overlap and checks are derived from it.
enum op_access : int {
  OP_READ = 0,   ///< read only; the kernel's parameter must be a pointer to const
  OP_WRITE = 1,  ///< every component is written, none is read before. A raw global: all elements
                 ///< must write the same value, otherwise the result is any one of them
  OP_RW = 2,     ///< read and written
  OP_INC = 3,    ///< incremented (bool: logical or); if accessed directly, the kernel may also read
                 ///< the incremented value
  OP_MIN = 4,    ///< the minimum of what elements give and of the value before: the kernel may only
                 ///< compare with it and lower it. Of a global: over the owned elements
  OP_MAX = 5     ///< the maximum, likewise
};

/// The kind of an `op_arg`.
enum op_arg_type : int { OP_ARG_GBL = 0, OP_ARG_DAT = 1, OP_ARG_IDX = 2, OP_ARG_INFO = 3 };

namespace op2 {

/// The value types of dats, constants and globals. Their names in type strings are "double",
/// "float", "int", "uint", "ll", "ull" and "bool"; the spellings of C++ are accepted too.
enum class Type : std::uint8_t { f64, f32, i32, u32, i64, u64, b8 };

/// The C++ types that may be stored: those that have a `Type` of the same width and signedness.
/// Characters are no numbers.
template <class T>
concept Value = std::same_as<T, double> || std::same_as<T, float> || std::same_as<T, bool> ||
                (std::integral<T> && (sizeof(T) == 4 || sizeof(T) == 8) &&
                 !std::same_as<T, wchar_t> && !std::same_as<T, char32_t>);

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

/// A lazy global: reduced, set and read in order with the queued loops.
struct op_global_core {
  int index;
  int dim;
  const char* type;
  const char* name;
};
using op_global = op_global_core*;  ///< the handle of a lazy global

/// The map of a direct argument: the identity.
inline constexpr op_map OP_ID = nullptr;
