// SPDX-License-Identifier: BSD-3-Clause
#include <map>

#include <fmt/core.h>

#include <jit/cache_sweep.hpp>

#include "commands.hpp"
#include "store.hpp"
#include "table.hpp"
#include "text.hpp"

namespace op2::jitinspect {

namespace {

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

int stats(const Common& common) {
  const Store store = load(common.directory);
  const Sums sums = sums_of(store);
  if (common.json) {
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

}  // namespace op2::jitinspect
