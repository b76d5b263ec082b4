// SPDX-License-Identifier: BSD-3-Clause
// Type strings of programs for OP2's own headers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <op2/types.hpp>

#include <core/error.hpp>
#include <core/op2_type_names.hpp>
#include <core/validate.hpp>
#include <core/value_type.hpp>

namespace op2::compat {

/// The type that a string names, if any.
inline std::optional<Type> type_named(std::string_view text) {
  const auto named = core::op2_type_named(text);
  return named ? named : core::type_named(core::without_soa(text));
}

/// The type that a string names.
/// @param place  "dat 'q'", for the message
/// @throws Error bad_type: null or unknown
inline Type type_of(const std::string& place, const char* type) {
  if (type == nullptr)
    core::fail(ErrorCode::bad_type, "the type is null: {}; give it one, e.g. \"double\"", place);
  if (const auto known = type_named(type)) return *known;
  return core::check_type_name(place, std::string(core::without_soa(type)).c_str());
}

/// A string for a message; null is allowed.
inline const char* shown(const char* text) {
  return text == nullptr ? "" : text;
}

}  // namespace op2::compat
