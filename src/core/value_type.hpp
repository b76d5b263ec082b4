// SPDX-License-Identifier: BSD-3-Clause
// Names and sizes of the value types.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <op2/types.hpp>

namespace op2::core {

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

}  // namespace op2::core
