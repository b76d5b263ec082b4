// SPDX-License-Identifier: BSD-3-Clause
// OP2's type strings, for C++ and Fortran. Header only: op2-embed-kernels uses it too.
#pragma once

#include <optional>
#include <string_view>

#include <op2/types.hpp>

namespace op2::core {

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
