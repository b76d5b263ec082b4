// SPDX-License-Identifier: BSD-3-Clause
#include <ctime>
#include <map>

#include <fmt/core.h>

#include <core/text.hpp>
#include <jit/cache_sweep.hpp>

#include "commands.hpp"
#include "store.hpp"
#include "text.hpp"

namespace op2::jitinspect {

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

Victims victims_of(const Store& store, const PruneOptions& options) {
  const std::int64_t now = std::time(nullptr);
  Victims victims;
  add(victims, jit::abandoned(store.files, now));
  if (options.all) add(victims, jit::least_recently_used(store.files, 0));
  if (options.bad) add(victims, bad_files(store));
  if (options.older_than_days)
    add(victims, unused_since(store.files, double(now) - 86400 * *options.older_than_days));
  if (options.max_mb) {
    std::vector<jit::CacheFile> left = store.files;
    std::erase_if(left, [&](const jit::CacheFile& file) { return victims.contains(file.name); });
    add(victims, jit::least_recently_used(left, std::int64_t(*options.max_mb * 1048576)));
  }
  return victims;
}

}  // namespace

int prune(const Common& common, const PruneOptions& options) {
  if (!options.all && !options.bad && !options.older_than_days && !options.max_mb)
    throw Failure(2, "specify what to remove: --max-mb N, --older-than DAYS, --bad or --all");
  const Store store = load(common.directory);
  Json removed = Json::array(), failed = Json::array();
  std::int64_t bytes = 0;
  const char* done = options.dry_run ? "would remove" : "removed";
  for (const auto& [name, file] : victims_of(store, options)) {
    const bool gone = options.dry_run || store.directory.remove(name);
    (gone ? removed : failed).push_back(name);
    if (gone) bytes += file.bytes;
    if (!common.json) fmt::print("{} {}\n", gone ? done : "cannot remove", name);
  }
  if (common.json)
    print_json(
        {{"removed", removed}, {"failed", failed}, {"bytes", bytes}, {"dry_run", options.dry_run}});
  else
    fmt::print("{} {}, {}\n", done, core::counted(removed.size(), "file"), size_words(bytes));
  return failed.empty() ? 0 : 1;
}

}  // namespace op2::jitinspect
