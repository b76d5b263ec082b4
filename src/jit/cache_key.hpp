// SPDX-License-Identifier: BSD-3-Clause
// From the fields of a key to the key, and to its names for people.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <jit/cache_entry.hpp>

namespace op2::jit {

/// One field of KeyFields with the name that tools print.
struct KeyField {
  const char* name;
  std::string KeyFields::*value;
};

/// All fields, in the order in which they are hashed and stored.
inline constexpr std::array<KeyField, 12> key_fields{{
    {"target", &KeyFields::target},
    {"generator", &KeyFields::generator},
    {"compiler", &KeyFields::compiler},
    {"triple", &KeyFields::triple},
    {"cpu", &KeyFields::cpu},
    {"features", &KeyFields::features},
    {"options", &KeyFields::options},
    {"kernel", &KeyFields::kernel},
    {"source", &KeyFields::source},
    {"arguments", &KeyFields::arguments},
    {"constants", &KeyFields::constants},
    {"includes", &KeyFields::includes},
}};

Key make_key(const KeyFields& fields);

/// 64 hexadecimal digits.
std::string name_of(const Key& key);

/// The first 12 digits: what people read and type.
std::string short_name_of(const Key& key);

/// The key written as 64 hexadecimal digits; nothing for any other text.
std::optional<Key> key_named(std::string_view digits);

/// Whether `prefix` is the beginning of the key's name, in digits of either case. Not if it is
/// empty.
bool has_prefix(const Key& key, std::string_view prefix);

}  // namespace op2::jit
