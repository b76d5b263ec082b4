// SPDX-License-Identifier: BSD-3-Clause
#include <core/similar_name.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include <core/text.hpp>

namespace op2::core {
namespace {

/// Levenshtein's.
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

}  // namespace

std::optional<std::string> similar_name(std::string_view unknown,
                                        std::span<const std::string> known) {
  if (unknown.empty() || known.empty()) return std::nullopt;
  const auto distance = [&](const std::string& name) { return edit_distance(unknown, name); };
  const std::string& nearest = *std::ranges::min_element(known, {}, distance);
  const std::size_t most =
      std::min(unknown.size() - 1, std::max<std::size_t>(2, nearest.size() / 3));
  return distance(nearest) <= most ? std::optional(nearest) : std::nullopt;
}

std::string did_you_mean(std::string_view unknown, std::span<const std::string> known) {
  const auto similar = similar_name(unknown, known);
  return similar ? "; did you mean '" + *similar + "'?" : "";
}

std::optional<std::string> misspelled(std::string_view prefix, std::string_view name,
                                      std::span<const std::string> known) {
  if (std::ranges::find(known, name) != known.end()) return {};
  if (name.starts_with(prefix)) return did_you_mean(name, known);
  const auto is_near = [name = lower_case(std::string(name))](const std::string& candidate) {
    const std::size_t longer = std::max(name.size(), candidate.size());
    return !candidate.empty() && longer - std::min(name.size(), candidate.size()) <= 1 &&
           edit_distance(name, lower_case(candidate)) <= 1;
  };
  const auto meant = std::ranges::find_if(known, is_near);
  return meant == known.end() ? std::nullopt : std::optional("; did you mean '" + *meant + "'?");
}

}  // namespace op2::core
