// SPDX-License-Identifier: BSD-3-Clause
#include "key_differences.hpp"

#include <algorithm>
#include <string_view>

#include <jit/cache_key.hpp>

#include "text.hpp"

namespace op2::jitinspect {

namespace {

struct Unit {
  const char* name;
  char separator;
};

Unit unit_of(std::string_view field, const std::string& value) {
  if (field == "features") return {"feature", ','};
  // A text that went through the preprocessor is one line.
  if (field == "source" && std::ranges::count(value, '\n') == 0) return {"statement", ';'};
  return {"line", '\n'};
}

Difference difference(const char* field, const std::string& ours, const std::string& theirs) {
  const Unit unit = unit_of(field, ours);
  const std::vector<std::string> a = split(ours, unit.separator);
  const std::vector<std::string> b = split(theirs, unit.separator);
  const auto [a_begin, b_begin] = std::ranges::mismatch(a, b);
  const auto [a_end, b_end] = std::mismatch(a.rbegin(), std::reverse_iterator(a_begin), b.rbegin(),
                                            std::reverse_iterator(b_begin));
  return {.field = field,
          .unit = unit.name,
          .first = static_cast<std::size_t>(a_begin - a.begin()) + 1,
          .ours = {a_begin, a_end.base()},
          .theirs = {b_begin, b_end.base()}};
}

/// The generator without the hash of the code that it emits.
std::string_view version_of(std::string_view generator) {
  return generator.substr(0, generator.find(", source "));
}

}  // namespace

std::vector<Difference> differences(const jit::KeyFields& ours, const jit::KeyFields& theirs) {
  std::vector<Difference> result;
  for (const jit::KeyField& field : jit::key_fields)
    if (ours.*field.value != theirs.*field.value)
      result.push_back(difference(field.name, ours.*field.value, theirs.*field.value));
  // Where something else differs, other emitted code is a consequence.
  if (result.size() > 1 && version_of(ours.generator) == version_of(theirs.generator))
    std::erase_if(result, [](const Difference& each) { return each.field == "generator"; });
  return result;
}

}  // namespace op2::jitinspect
