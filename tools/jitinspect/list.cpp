// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <functional>

#include <fmt/core.h>

#include <jit/cache_key.hpp>

#include "commands.hpp"
#include "store.hpp"
#include "table.hpp"
#include "text.hpp"

namespace op2::jitinspect {

namespace {

Json as_json(const StoredEntry& stored) {
  const jit::CacheEntry& entry = stored.parsed.entry;
  return {{"key", jit::name_of(stored.parsed.key)},
          {"kernel", entry.key.kernel},
          {"loop", entry.loop},
          {"arguments", split(entry.key.arguments, '\n')},
          {"target", entry.key.target},
          {"cpu", entry.key.cpu},
          {"bytes", stored.file.bytes},
          {"compile_ms", 1e3 * entry.compile_seconds},
          {"created", entry.created},
          {"used", stored.file.used}};
}

std::vector<std::string> as_row(const StoredEntry& stored) {
  const jit::CacheEntry& entry = stored.parsed.entry;
  return {jit::short_name_of(stored.parsed.key),
          printable(entry.key.kernel),
          printable(entry.loop),
          argument_words(entry.key.arguments),
          printable(entry.key.target),
          printable(entry.key.cpu),
          size_words(stored.file.bytes),
          fmt::format("{:.0f}", 1e3 * entry.compile_seconds),
          age_words(entry.created),
          age_words(stored.file.used)};
}

/// In a narrow terminal, what is in most entries the same leaves first.
std::vector<Column> columns() {
  return {{.heading = "key", .style = Style::key},
          {.heading = "kernel", .least = 16},
          {.heading = "loop", .least = 16, .leaves = 3},
          {.heading = "arguments", .least = 14, .leaves = 2},
          {.heading = "target", .leaves = 4},
          {.heading = "cpu", .leaves = 1},
          {.heading = "size", .number = true, .leaves = 6},
          {.heading = "compile ms", .number = true, .leaves = 7},
          {.heading = "age", .number = true, .leaves = 5},
          {.heading = "used", .number = true, .leaves = 8}};
}

/// The good entries for `target` (empty: all), the one used last first.
std::vector<const StoredEntry*> by_last_use(const Store& store, const std::string& target) {
  std::vector<const StoredEntry*> chosen;
  for (const StoredEntry& stored : store.entries)
    if (stored.good() && (target.empty() || stored.parsed.entry.key.target == target))
      chosen.push_back(&stored);
  std::ranges::stable_sort(chosen, std::greater(), last_use);
  return chosen;
}

void print_totals(const std::vector<const StoredEntry*>& entries) {
  std::int64_t bytes = 0;
  double seconds = 0;
  for (const StoredEntry* stored : entries) {
    bytes += stored->file.bytes;
    seconds += stored->parsed.entry.compile_seconds;
  }
  const std::string line =
      fmt::format("{} {}, {}, compiled in {:.3f} s", entries.size(),
                  entries.size() == 1 ? "entry" : "entries", size_words(bytes), seconds);
  fmt::print("{}\n", painted(Style::heading, line));
}

}  // namespace

int list(const Common& common, const std::string& target) {
  const Store store = load(common.directory);
  const std::vector<const StoredEntry*> entries = by_last_use(store, target);
  if (common.json) {
    Json document = Json::array();
    for (const StoredEntry* stored : entries) document.push_back(as_json(*stored));
    print_json(document);
    return 0;
  }
  Table table{columns(), {}};
  for (const StoredEntry* stored : entries) table.rows.push_back(as_row(*stored));
  print_table(table);
  if (terminal().present) print_totals(entries);
  const auto unusable = std::ranges::count_if(
      store.entries, [](const StoredEntry& stored) { return !stored.good(); });
  if (unusable > 0)
    fmt::print("{} more cannot be used; 'op2-jitinspect verify' shows why\n", unusable);
  return 0;
}

}  // namespace op2::jitinspect
