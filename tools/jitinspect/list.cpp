// SPDX-License-Identifier: BSD-3-Clause
// The commands about the whole cache: list, stats, verify, prune.
#include <algorithm>
#include <ctime>
#include <functional>
#include <map>

#include <fmt/core.h>

#include <core/text.hpp>
#include <jit/cache_directory.hpp>
#include <jit/cache_entry.hpp>

#include "commands.hpp"
#include "output.hpp"
#include "store.hpp"

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

struct Sum {
  std::int64_t entries = 0;
  std::int64_t bytes = 0;
  double compile_seconds = 0;

  void add(const StoredEntry& stored) {
    ++entries;
    bytes += stored.file.bytes;
    compile_seconds += stored.parsed.entry.compile_seconds;
  }
};

void print_totals(const std::vector<const StoredEntry*>& entries) {
  Sum sum;
  for (const StoredEntry* stored : entries) sum.add(*stored);
  const std::string line = fmt::format("{} {}, {}, compiled in {:.3f} s", sum.entries,
                                       sum.entries == 1 ? "entry" : "entries",
                                       size_words(sum.bytes), sum.compile_seconds);
  fmt::print("{}\n", painted(Style::heading, line));
}

}  // namespace

int list(const Request& request) {
  const Store store = load(request.directory);
  const std::vector<const StoredEntry*> entries = by_last_use(store, request.target);
  if (request.json) {
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

namespace {

struct Sums {
  Sum all;
  std::map<std::string, Sum> by_kernel, by_target, by_cpu;
  std::int64_t bad = 0, other_version = 0, quarantined = 0;
};

Sums sums_of(const Store& store) {
  Sums sums;
  for (const StoredEntry& stored : store.entries) {
    sums.bad += stored.parsed.state == jit::EntryState::bad;
    sums.other_version += stored.parsed.state == jit::EntryState::other_version;
    if (!stored.good()) continue;
    sums.all.add(stored);
    sums.by_kernel[stored.parsed.entry.key.kernel].add(stored);
    sums.by_target[stored.parsed.entry.key.target].add(stored);
    sums.by_cpu[stored.parsed.entry.key.cpu].add(stored);
  }
  for (const jit::CacheFile& file : store.files)
    sums.quarantined += file.kind == jit::CacheFileKind::bad;
  return sums;
}

Json as_json(const Sum& sum) {
  return {{"entries", sum.entries}, {"bytes", sum.bytes}, {"compile_seconds", sum.compile_seconds}};
}

Json as_json(const std::map<std::string, Sum>& sums) {
  Json result = Json::object();
  for (const auto& [name, sum] : sums) result[name] = as_json(sum);
  return result;
}

void print(const char* heading, const std::map<std::string, Sum>& sums) {
  Table table{{{.heading = heading, .least = 16},
               {.heading = "entries", .number = true},
               {.heading = "size", .number = true},
               {.heading = "compile s", .number = true}},
              {}};
  for (const auto& [name, sum] : sums)
    table.rows.push_back({printable(name), std::to_string(sum.entries), size_words(sum.bytes),
                          fmt::format("{:.3f}", sum.compile_seconds)});
  fmt::print("\n");
  print_table(table);
}

}  // namespace

int stats(const Request& request) {
  const Store store = load(request.directory);
  const Sums sums = sums_of(store);
  if (request.json) {
    print_json({{"directory", store.path},
                {"entries", sums.all.entries},
                {"bytes", sums.all.bytes},
                {"compile_seconds", sums.all.compile_seconds},
                {"bad", sums.bad},
                {"other_version", sums.other_version},
                {"quarantined", sums.quarantined},
                {"bytes_on_disk", jit::bytes_of(store.files)},
                {"by_kernel", as_json(sums.by_kernel)},
                {"by_target", as_json(sums.by_target)},
                {"by_cpu", as_json(sums.by_cpu)}});
    return 0;
  }
  fmt::print("directory    {}\n", store.path);
  fmt::print("entries      {}, {}, {:.3f} s of compilation\n", sums.all.entries,
             size_words(sums.all.bytes), sums.all.compile_seconds);
  fmt::print("bad          {}, and {} moved away earlier\n", sums.bad, sums.quarantined);
  fmt::print("other format {}\n", sums.other_version);
  fmt::print("on disk      {}\n", size_words(jit::bytes_of(store.files)));
  if (sums.all.entries == 0) return 0;
  print("kernel", sums.by_kernel);
  print("target", sums.by_target);
  print("cpu", sums.by_cpu);
  return 0;
}

namespace {

using jit::EntryState;

std::int64_t count(const Store& store, EntryState state) {
  return std::ranges::count(store.entries, state,
                            [](const StoredEntry& stored) { return stored.parsed.state; });
}

Json as_json(const Store& store) {
  Json bad = Json::array();
  for (const StoredEntry& stored : store.entries)
    if (stored.parsed.state == EntryState::bad)
      bad.push_back({{"file", stored.file.name}, {"reason", stored.parsed.reason}});
  return {{"directory", store.path},
          {"good", count(store, EntryState::good)},
          {"other_version", count(store, EntryState::other_version)},
          {"bad", bad}};
}

}  // namespace

int verify(const Request& request) {
  const Store store = load(request.directory);
  const std::int64_t bad = count(store, EntryState::bad);
  if (request.json) {
    print_json(as_json(store));
    return bad == 0 ? 0 : 1;
  }
  for (const StoredEntry& stored : store.entries)
    if (stored.parsed.state == EntryState::bad)
      fmt::print("{}   {}\n      {}\n", painted(Style::bad, "bad"), stored.file.name,
                 stored.parsed.reason);
  fmt::print("{}: {} good, {} of other versions, {} bad\n", store.path,
             count(store, EntryState::good), count(store, EntryState::other_version), bad);
  return bad == 0 ? 0 : 1;
}

namespace {

/// The files that go, by name, so that a file that two rules name goes once.
using Victims = std::map<std::string, jit::CacheFile>;

void add(Victims& victims, const std::vector<jit::CacheFile>& files) {
  for (const jit::CacheFile& file : files) victims.emplace(file.name, file);
}

std::vector<jit::CacheFile> unused_since(const std::vector<jit::CacheFile>& files, double time) {
  std::vector<jit::CacheFile> old = jit::least_recently_used(files, 0);
  std::erase_if(old, [=](const jit::CacheFile& file) { return double(file.used) >= time; });
  return old;
}

std::vector<jit::CacheFile> bad_files(const Store& store) {
  std::vector<jit::CacheFile> bad;
  for (const jit::CacheFile& file : store.files)
    if (file.kind == jit::CacheFileKind::bad) bad.push_back(file);
  for (const StoredEntry& stored : store.entries)
    if (!stored.good()) bad.push_back(stored.file);
  return bad;
}

Victims victims_of(const Store& store, const Request& request) {
  const std::int64_t now = std::time(nullptr);
  Victims victims;
  add(victims, jit::abandoned(store.files, now));
  if (request.all) add(victims, jit::least_recently_used(store.files, 0));
  if (request.bad) add(victims, bad_files(store));
  if (request.older_than_days)
    add(victims, unused_since(store.files, double(now) - 86400 * *request.older_than_days));
  if (request.max_mb) {
    std::vector<jit::CacheFile> left = store.files;
    std::erase_if(left, [&](const jit::CacheFile& file) { return victims.contains(file.name); });
    add(victims, jit::least_recently_used(left, std::int64_t(*request.max_mb * 1048576)));
  }
  return victims;
}

}  // namespace

int prune(const Request& request) {
  if (!request.all && !request.bad && !request.older_than_days && !request.max_mb)
    throw Failure(2, "specify what to remove: --max-mb N, --older-than DAYS, --bad or --all");
  const Store store = load(request.directory);
  Json removed = Json::array(), failed = Json::array();
  std::int64_t bytes = 0;
  const char* done = request.dry_run ? "would remove" : "removed";
  for (const auto& [name, file] : victims_of(store, request)) {
    const bool gone = request.dry_run || store.directory.remove(name);
    (gone ? removed : failed).push_back(name);
    if (gone) bytes += file.bytes;
    if (!request.json) fmt::print("{} {}\n", gone ? done : "cannot remove", name);
  }
  if (request.json)
    print_json(
        {{"removed", removed}, {"failed", failed}, {"bytes", bytes}, {"dry_run", request.dry_run}});
  else
    fmt::print("{} {}, {}\n", done, core::counted(removed.size(), "file"), size_words(bytes));
  return failed.empty() ? 0 : 1;
}

}  // namespace op2::jitinspect
