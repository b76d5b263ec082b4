// SPDX-License-Identifier: BSD-3-Clause
// The commands that compare: why-missed, diff.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <tuple>

#include <fmt/core.h>

#include <core/hash.hpp>
#include <core/log.hpp>
#include <core/text.hpp>
#include <jit/cache_entry.hpp>

#include "commands.hpp"
#include "output.hpp"
#include "store.hpp"

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
    for (const Difference& difference :
         differences(entry.parsed.entry.key, other->parsed.entry.key))
      found.push_back({{"field", difference.field},
                       {"unit", difference.unit},
                       {"first", difference.first},
                       {"this", difference.ours},
                       {"other", difference.theirs}});
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
  for (const Difference& difference : found) {
    const bool one_line =
        difference.first == 1 && difference.ours.size() <= 1 && difference.theirs.size() <= 1;
    fmt::print("  {}{}\n", difference.field,
               one_line ? "" : fmt::format(", from {} {}", difference.unit, difference.first));
    print_lines('-', difference.theirs);
    print_lines('+', difference.ours);
  }
}

}  // namespace

int why_missed(const Request& request) {
  const Store store = load(request.directory);
  const StoredEntry& entry = select_latest(store, request.key);
  const StoredEntry* other =
      request.other.empty() ? nearest(store, entry) : nearest_named(store, entry, request.other);
  if (request.json) {
    print_json(as_json(entry, other));
    return 0;
  }
  if (request.other.empty() && (other == nullptr || !is_of_same_kernel(entry, *other)))
    fmt::print(
        "{}\nis the only entry of this kernel: it was compiled for the first time, or an "
        "earlier entry was removed\n{}",
        words_for(entry), other == nullptr ? "" : "the nearest entry with one of its kernels:\n");
  if (other != nullptr) print(entry, *other);
  return 0;
}

namespace {

using core::ValueHash;

struct HashFile {
  std::string path;
  std::vector<ValueHash> values;
};

HashFile read(const std::string& path) {
  core::Log log = core::tool_log("op2-jitinspect");
  const core::Progress progress(log, fmt::format("reading '{}'", path));
  const std::optional<std::string> text = core::read_file(path.c_str());
  if (!text) throw Failure(2, fmt::format("cannot read '{}'", path));
  auto values = core::hashes_in(*text);
  if (!values) throw Failure(2, fmt::format("'{}' is not a file that OP2_HASH has written", path));
  return {path, std::move(*values)};
}

/// The position of the first value that the files do not share.
std::size_t first_difference(const HashFile& one, const HashFile& other) {
  return static_cast<std::size_t>(std::ranges::mismatch(one.values, other.values).in1 -
                                  one.values.begin());
}

/// How many positions have different values.
std::size_t count_differences(const HashFile& one, const HashFile& other) {
  const std::size_t shorter = std::min(one.values.size(), other.values.size());
  std::size_t count = std::max(one.values.size(), other.values.size()) - shorter;
  for (std::size_t k = 0; k < shorter; ++k) count += one.values[k] == other.values[k] ? 0 : 1;
  return count;
}

/// Null after the end of the file.
const ValueHash* value_at(const HashFile& file, std::size_t position) {
  return position < file.values.size() ? &file.values[position] : nullptr;
}

/// What a user can conclude from the first difference.
const char* meaning(const ValueHash* one, const ValueHash* other) {
  if (one == nullptr || other == nullptr || one->what != other->what)
    return "the programs do not declare and ask for the same values";
  if (one->what.starts_with(core::declaration))
    return "the programs do not declare the same mesh, with the same global numbers";
  return "a value is not the same";
}

Json as_json(const ValueHash* value) {
  if (value == nullptr) return {};
  return {{"hash", value->hash}, {"what", value->what}};
}

void print(const HashFile& file, std::size_t position) {
  const ValueHash* value = value_at(file, position);
  // The first line of a file is its heading.
  fmt::print("  {}:{}  {}\n", printable(file.path), position + 2,
             value == nullptr ? "no more values"
                              : fmt::format("{}  {}", value->hash, printable(value->what)));
}

}  // namespace

int diff(const Request& request) {
  const HashFile one = read(request.key), other = read(request.other);
  const std::size_t first = first_difference(one, other);
  const std::size_t different = count_differences(one, other);
  const ValueHash *const here = value_at(one, first), *const there = value_at(other, first);
  const std::size_t all = std::max(one.values.size(), other.values.size());
  if (request.json) {
    print_json({{"values", all},
                {"different", different},
                {"first", different == 0 ? Json() : Json(first)},
                {"one", as_json(here)},
                {"other", as_json(there)}});
  } else if (different == 0) {
    fmt::print("the same bits: {} values\n", all);
  } else {
    fmt::print("{} of {} values differ; the first:\n", different, all);
    print(one, first);
    print(other, first);
    fmt::print("{}\n", meaning(here, there));
  }
  return different == 0 ? 0 : 1;
}

}  // namespace op2::jitinspect
