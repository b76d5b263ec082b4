// SPDX-License-Identifier: BSD-3-Clause
#include <core/value_type.hpp>

#include <array>

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

std::vector<std::string> type_names() {
  std::vector<std::string> all;
  for (const TypeNames& type : names) all.emplace_back(type.name);
  return all;
}

}  // namespace op2::core
