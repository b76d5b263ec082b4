// SPDX-License-Identifier: BSD-3-Clause
#include <core/value_hashes.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

#include <core/hash.hpp>
#include <core/mesh.hpp>
#include <core/value_type.hpp>

namespace op2::core {
namespace {

constexpr std::string_view first_line =
    "# hashes of the values that a program of libop2 declares and sees, form 1";
constexpr std::size_t digits = 16;

/// Replaces each NaN of a row by one of them.
template <class T>
void make_equal(std::span<std::byte> row) {
  if constexpr (std::is_floating_point_v<T>)
    for (std::size_t at = 0; at + sizeof(T) <= row.size(); at += sizeof(T)) {
      T value;
      std::memcpy(&value, row.data() + at, sizeof(T));
      if (!std::isnan(value)) continue;
      value = std::numeric_limits<T>::quiet_NaN();
      std::memcpy(row.data() + at, &value, sizeof(T));
    }
}

/// @param row  is changed
std::uint64_t hash_of_values_in(std::span<std::byte> row, Type type, std::int64_t element) {
  with_type(type, [&]<class T>() { make_equal<T>(row); });
  return hash_of_row(row, element);
}

}  // namespace

std::uint64_t hash_of_rows(const Set& set, std::span<const std::byte> rows, std::size_t row_bytes,
                           Type type) {
  std::uint64_t sum = 0;
  std::vector<std::byte> row(row_bytes);
  for (std::size_t k = 0; (k + 1) * row_bytes <= rows.size(); ++k) {
    std::memcpy(row.data(), rows.data() + k * row_bytes, row_bytes);
    sum += hash_of_values_in(row, type, set.global_index(static_cast<std::int32_t>(k)));
  }
  return sum;
}

std::uint64_t hash_of_values(std::span<const std::byte> values, Type type) {
  std::vector<std::byte> row(values.begin(), values.end());
  return hash_of_values_in(row, type, 0);
}

std::string first_line_of_hashes() {
  return fmt::format("{}\n", first_line);
}

std::string line_of(std::optional<std::uint64_t> hash, std::string_view what) {
  return fmt::format("{}  {}\n", hash ? fmt::format("{:016x}", *hash) : std::string(digits, '-'),
                     what);
}

std::optional<std::vector<ValueHash>> hashes_in(std::string_view text) {
  const std::string expected = first_line_of_hashes();
  if (!text.starts_with(expected)) return {};
  std::vector<ValueHash> values;
  text.remove_prefix(expected.size());
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    constexpr std::size_t least = digits + 2;
    if (end == std::string_view::npos || end < least) return {};
    values.push_back(
        {std::string(text.substr(0, digits)), std::string(text.substr(least, end - least))});
    text.remove_prefix(end + 1);
  }
  return values;
}

}  // namespace op2::core
