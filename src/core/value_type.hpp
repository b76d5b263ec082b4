// SPDX-License-Identifier: BSD-3-Clause
// Names of the access modes, names and sizes of the value types. The JIT plug-in uses the inline
// functions, too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <op2/types.hpp>

namespace op2::core {

/// Names in cache keys and generated code, indexed by access mode.
inline constexpr std::array access_words{"read", "write", "rw", "inc", "min", "max"};

/// "OP_READ", "OP_WRITE", ...; an invalid value, which a program may have cast, has a name too.
constexpr const char* name_of(op_access access) {
  constexpr std::array names{"OP_READ", "OP_WRITE", "OP_RW", "OP_INC", "OP_MIN", "OP_MAX"};
  return access >= OP_READ && access <= OP_MAX ? names[static_cast<std::size_t>(access)]
                                               : "an unknown access";
}

/// A minimum or maximum.
constexpr bool is_extreme(op_access access) {
  return access == OP_MIN || access == OP_MAX;
}

/// Whether a row or a global combines what elements give, in whatever order they come, if all of
/// them access it by this mode, and a row through maps.
constexpr bool is_combined(op_access access) {
  return access == OP_INC || is_extreme(access);
}

/// Precondition: a valid mode.
constexpr const char* word_of(op_access access) {
  return access_words.at(static_cast<std::size_t>(access));
}

/// Bytes of one value.
std::size_t size_of(Type type);

/// Bytes of `dim` values.
inline std::size_t size_of(Type type, int dim) {
  return size_of(type) * static_cast<std::size_t>(dim);
}

/// Canonical type string: "double", "float", "int", "uint", "ll", "ull", "bool".
const char* name_of(Type type);

/// How the type is written in generated C++: "double", "float", "int", "unsigned", "long",
/// "unsigned long", "bool".
const char* cxx_name_of(Type type);

/// Calls `action.template operator()<T>()` with the C++ type T of `type`.
template <class Action>
decltype(auto) with_type(Type type, Action&& action) {
  switch (type) {
    case Type::f64:
      return action.template operator()<double>();
    case Type::f32:
      return action.template operator()<float>();
    case Type::i32:
      return action.template operator()<std::int32_t>();
    case Type::u32:
      return action.template operator()<std::uint32_t>();
    case Type::i64:
      return action.template operator()<std::int64_t>();
    case Type::u64:
      return action.template operator()<std::uint64_t>();
    case Type::b8:
      return action.template operator()<bool>();
  }
  __builtin_unreachable();
}

/// The type that a user's type string names: a canonical name or a C++ spelling ("unsigned int",
/// "int64_t", ...); nothing if it names none.
std::optional<Type> type_named(std::string_view text);

/// The canonical names.
std::vector<std::string> type_names();

/// OP2's type strings, for C++ and Fortran. Header only: op2-embed-kernels uses these, too.
struct Op2TypeName {
  std::string_view text;
  Type type;
};

inline constexpr Op2TypeName op2_type_names[] = {
    {"double", Type::f64},  {"float", Type::f32},     {"int", Type::i32},
    {"uint", Type::u32},    {"ll", Type::i64},        {"ull", Type::u64},
    {"bool", Type::b8},     {"r8", Type::f64},        {"real*8", Type::f64},
    {"real(8)", Type::f64}, {"r4", Type::f32},        {"real*4", Type::f32},
    {"real(4)", Type::f32}, {"real", Type::f32},      {"double precision", Type::f64},
    {"i4", Type::i32},      {"integer*4", Type::i32}, {"integer(4)", Type::i32},
    {"integer", Type::i32}, {"int(4)", Type::i32},
};

/// A type string without ":soa", which says how OP2 lays values out.
constexpr std::string_view without_soa(std::string_view type) {
  constexpr std::string_view soa = ":soa";
  return type.ends_with(soa) ? type.substr(0, type.size() - soa.size()) : type;
}

/// The type that a type string names, with ":soa" or not.
constexpr std::optional<Type> op2_type_named(std::string_view text) {
  text = without_soa(text);
  for (const Op2TypeName& name : op2_type_names)
    if (name.text == text) return name.type;
  return std::nullopt;
}

}  // namespace op2::core
