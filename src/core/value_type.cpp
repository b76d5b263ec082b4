// SPDX-License-Identifier: BSD-3-Clause
#include <core/value_type.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

namespace op2::core {
namespace {

struct TypeNames {
  std::size_t bytes;
  const char* name;
  const char* cxx;
};

constexpr std::array<TypeNames, 7> names = {{{8, "double", "double"},
                                             {4, "float", "float"},
                                             {4, "int", "int"},
                                             {4, "uint", "unsigned"},
                                             {8, "ll", "long"},
                                             {8, "ull", "unsigned long"},
                                             {1, "bool", "bool"}}};

struct Spelling {
  std::string_view text;
  Type type;
};

constexpr Spelling spellings[] = {
    {"int32_t", Type::i32},  {"unsigned", Type::u32},      {"unsigned int", Type::u32},
    {"uint32_t", Type::u32}, {"long", Type::i64},          {"long long", Type::i64},
    {"int64_t", Type::i64},  {"unsigned long", Type::u64}, {"unsigned long long", Type::u64},
    {"uint64_t", Type::u64},
};

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row.back();
}

std::size_t size_of(Type type) {
  return names[static_cast<std::size_t>(type)].bytes;
}
const char* name_of(Type type) {
  return names[static_cast<std::size_t>(type)].name;
}
const char* cxx_name_of(Type type) {
  return names[static_cast<std::size_t>(type)].cxx;
}

std::optional<Type> type_named(std::string_view text) {
  for (std::size_t k = 0; k < names.size(); ++k)
    if (text == names[k].name) return static_cast<Type>(k);
  for (const Spelling& s : spellings)
    if (text == s.text) return s.type;
  return std::nullopt;
}

std::string nearest_type_name(std::string_view text) {
  const auto nearest =
      std::min_element(names.begin(), names.end(), [&](const auto& a, const auto& b) {
        return edit_distance(text, a.name) < edit_distance(text, b.name);
      });
  return nearest->name;
}

}  // namespace op2::core
