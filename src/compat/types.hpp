// SPDX-License-Identifier: BSD-3-Clause
// Type strings of programs for OP2's own headers.
#pragma once

#include <string>
#include <string_view>

#include <op2/types.hpp>

#include <core/error.hpp>
#include <core/validate.hpp>
#include <core/value_type.hpp>

namespace op2::compat {

/// A type string without ":soa", which means nothing here.
inline std::string without_soa(std::string_view type) {
  if (type.ends_with(":soa")) type.remove_suffix(4);
  return std::string(type);
}

/// The type that a string names; ":soa" behind it means nothing here.
/// @throws Error bad_type
inline Type type_of(const char* what, const char* name, const char* type) {
  if (type == nullptr) core::fail(ErrorCode::bad_type, "{} '{}': the type is null", what, name);
  std::string_view text = type;
  if (text.ends_with(":soa")) text.remove_suffix(4);
  if (const auto known = core::type_named(text)) return *known;
  return core::check_type_name(fmt::format("{} '{}'", what, name), without_soa(type).c_str());
}

}  // namespace op2::compat
