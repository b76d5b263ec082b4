// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdlib>
#include <tuple>

#include <fmt/core.h>

#include <jit/cache_key.hpp>

#include "commands.hpp"
#include "key_differences.hpp"
#include "store.hpp"
#include "terminal.hpp"
#include "text.hpp"

namespace op2::jitinspect {

namespace {

constexpr std::size_t shown_lines = 6;

bool is_of_same_kernel(const StoredEntry& one, const StoredEntry& other) {
  return one.parsed.entry.key.kernel == other.parsed.entry.key.kernel;
}

/// Few differing fields, then few differing lines, then close in time.
auto distance(const StoredEntry& from, const StoredEntry& to) {
  const auto found = differences(from.parsed.entry.key, to.parsed.entry.key);
  std::size_t lines = 0;
  for (const Difference& difference : found)
    lines += difference.ours.size() + difference.theirs.size();
  return std::tuple(found.size(), lines,
                    std::abs(from.parsed.entry.created - to.parsed.entry.created));
}

/// Whether one of the kernels of a fused loop, or the kernel of a loop, is in both.
bool share_a_kernel(const StoredEntry& one, const StoredEntry& other) {
  const std::vector<std::string> kernels = split(one.parsed.entry.key.kernel, '+');
  return std::ranges::any_of(
      split(other.parsed.entry.key.kernel, '+'),
      [&](const std::string& kernel) { return std::ranges::count(kernels, kernel) != 0; });
}

/// Of `candidates` the one that differs least; null if there is none.
const StoredEntry* nearest_of(const std::vector<const StoredEntry*>& candidates,
                              const StoredEntry& entry) {
  const auto from_entry = [&](const StoredEntry* other) { return distance(entry, *other); };
  const auto best = std::ranges::min_element(candidates, {}, from_entry);
  return best == candidates.end() ? nullptr : *best;
}

/// The nearest entry of the same kernel or, if this is the only one, of a loop that was fused
/// otherwise with it.
const StoredEntry* nearest(const Store& store, const StoredEntry& entry) {
  std::vector<const StoredEntry*> same, related;
  for (const StoredEntry& other : store.entries) {
    if (!other.good() || &other == &entry || other.has_code() != entry.has_code()) continue;
    if (is_of_same_kernel(entry, other)) same.push_back(&other);
    if (share_a_kernel(entry, other)) related.push_back(&other);
  }
  return nearest_of(same.empty() ? related : same, entry);
}

/// The nearest of those that the user names with `name`.
const StoredEntry* nearest_named(const Store& store, const StoredEntry& entry,
                                 const std::string& name) {
  std::vector<const StoredEntry*> named = select_all(store, name);
  if (named.size() > 1) std::erase(named, &entry);
  return &good_one(*nearest_of(named, entry));
}

Json as_json(const StoredEntry& entry, const StoredEntry* other) {
  Json found = Json::array();
  if (other != nullptr)
    for (const Difference& each : differences(entry.parsed.entry.key, other->parsed.entry.key))
      found.push_back({{"field", each.field},
                       {"unit", each.unit},
                       {"first", each.first},
                       {"this", each.ours},
                       {"other", each.theirs}});
  return {{"key", jit::name_of(entry.parsed.key)},
          {"kernel", entry.parsed.entry.key.kernel},
          {"other", other == nullptr ? Json() : Json(jit::name_of(other->parsed.key))},
          {"differences", found}};
}

void print_lines(char sign, const std::vector<std::string>& lines) {
  const Style style = sign == '+' ? Style::good : Style::bad;
  for (std::size_t i = 0; i < std::min(lines.size(), shown_lines); ++i)
    fmt::print("    {}\n", painted(style, fmt::format("{} {}", sign, printable(lines[i]))));
  if (lines.size() > shown_lines)
    fmt::print("    {} ... {} more\n", sign, lines.size() - shown_lines);
}

std::string words_for(const StoredEntry& stored) {
  return fmt::format("{} {}, compiled {}", jit::short_name_of(stored.parsed.key),
                     printable(stored.parsed.entry.key.kernel),
                     date_words(stored.parsed.entry.created));
}

void print(const StoredEntry& entry, const StoredEntry& other) {
  const auto found = differences(entry.parsed.entry.key, other.parsed.entry.key);
  fmt::print("  entry (+)  {}\n", words_for(entry));
  fmt::print("  other (-)  {}\n", words_for(other));
  fmt::print("{} of the {} fields of the key {}\n", found.size(), jit::key_fields.size(),
             found.size() == 1 ? "differs" : "differ");
  for (const Difference& each : found) {
    const bool one_line = each.first == 1 && each.ours.size() <= 1 && each.theirs.size() <= 1;
    fmt::print("  {}{}\n", each.field,
               one_line ? "" : fmt::format(", from {} {}", each.unit, each.first));
    print_lines('-', each.theirs);
    print_lines('+', each.ours);
  }
}

}  // namespace

int why_missed(const Common& common, const std::string& key, const std::string& other_key) {
  const Store store = load(common.directory);
  const StoredEntry& entry = select_latest(store, key);
  const StoredEntry* other =
      other_key.empty() ? nearest(store, entry) : nearest_named(store, entry, other_key);
  if (common.json) {
    print_json(as_json(entry, other));
    return 0;
  }
  if (other_key.empty() && (other == nullptr || !is_of_same_kernel(entry, *other)))
    fmt::print(
        "{}\nis the only entry of this kernel: it was compiled for the first time, or an "
        "earlier entry was removed\n{}",
        words_for(entry), other == nullptr ? "" : "the nearest entry with one of its kernels:\n");
  if (other != nullptr) print(entry, *other);
  return 0;
}

}  // namespace op2::jitinspect
