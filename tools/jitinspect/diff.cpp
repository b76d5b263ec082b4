// SPDX-License-Identifier: BSD-3-Clause
#include "diff.hpp"

#include <algorithm>
#include <string_view>

#include <jit/cache_key.hpp>

#include "text.hpp"

namespace op2::jitinspect {

namespace {

Difference difference(const char* field, const std::string& ours, const std::string& theirs) {
  const char separator = std::string_view(field) == "features" ? ',' : '\n';
  const std::vector<std::string> a = split(ours, separator), b = split(theirs, separator);
  const auto [a_begin, b_begin] = std::ranges::mismatch(a, b);
  const auto [a_end, b_end] = std::mismatch(a.rbegin(), std::reverse_iterator(a_begin), b.rbegin(),
                                            std::reverse_iterator(b_begin));
  return {.field = field,
          .line = static_cast<std::size_t>(a_begin - a.begin()) + 1,
          .ours = {a_begin, a_end.base()},
          .theirs = {b_begin, b_end.base()}};
}

}  // namespace

std::vector<Difference> differences(const jit::KeyFields& ours, const jit::KeyFields& theirs) {
  std::vector<Difference> result;
  for (const jit::KeyField& field : jit::key_fields)
    if (ours.*field.value != theirs.*field.value)
      result.push_back(difference(field.name, ours.*field.value, theirs.*field.value));
  return result;
}

}  // namespace op2::jitinspect
