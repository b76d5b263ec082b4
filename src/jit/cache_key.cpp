// SPDX-License-Identifier: BSD-3-Clause
#include <jit/cache_key.hpp>

#include <algorithm>
#include <cctype>

#include <core/hash.hpp>

namespace op2::jit {

Key make_key(const KeyFields& fields) {
  core::Hasher hasher;
  for (const KeyField& field : key_fields) hasher.field(fields.*field.value);
  return hasher.finish();
}

std::string name_of(const Key& key) {
  return core::to_hex(key);
}

std::string short_name_of(const Key& key) {
  return name_of(key).substr(0, 12);
}

std::optional<Key> key_named(std::string_view digits) {
  return core::digest_from_hex(digits);
}

bool has_prefix(const Key& key, std::string_view prefix) {
  const std::string name = name_of(key);
  return !prefix.empty() && prefix.size() <= name.size() &&
         std::equal(prefix.begin(), prefix.end(), name.begin(),
                    [](unsigned char typed, char digit) { return std::tolower(typed) == digit; });
}

}  // namespace op2::jit
