// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <jit/cache_key.hpp>

#include "commands.hpp"
#include "store.hpp"
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
          age_words(entry.created)};
}

}  // namespace

int list(const Common& common, const std::string& target) {
  const Store store = load(common.directory);
  Json entries = Json::array();
  std::size_t unusable = 0;
  std::vector<std::vector<std::string>> rows{
      {"key", "kernel", "loop", "arguments", "target", "cpu", "size", "compile ms", "age"}};
  for (const StoredEntry& stored : store.entries) {
    if (!stored.good()) {
      ++unusable;
      continue;
    }
    if (!target.empty() && stored.parsed.entry.key.target != target) continue;
    entries.push_back(as_json(stored));
    rows.push_back(as_row(stored));
  }
  if (common.json) {
    print_json(entries);
    return 0;
  }
  print_table(rows, {6, 7, 8});
  if (unusable > 0)
    fmt::print("{} more cannot be used; 'op2-jitinspect verify' shows why\n", unusable);
  return 0;
}

}  // namespace op2::jitinspect
