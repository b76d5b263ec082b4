// SPDX-License-Identifier: BSD-3-Clause
#include "store.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include <core/progress.hpp>
#include <core/tool_log.hpp>
#include <jit/cache_key.hpp>
#include <jit/cache_location.hpp>
#include <jit/shared_caches.hpp>

namespace op2::jitinspect {

namespace {

using jit::CacheDirectory;
using jit::EntryState;

std::string location(const std::string& configured) {
  const char* variable = secure_getenv("OP2_CACHE_DIR");
  const bool use_variable = configured.empty() && variable != nullptr;
  std::string path = jit::cache_location(use_variable ? variable : configured);
  if (path.empty()) throw Failure(2, "the cache directory is unknown; give it with --dir");
  return path;
}

/// Opened like the library does if the directory passes its checks, as the user's own or as a
/// shared one, otherwise with a warning.
CacheDirectory open(const std::string& path) {
  auto trusted = CacheDirectory::open(path, jit::Trust::own);
  if (trusted.directory) return std::move(*trusted.directory);
  for (const auto& folder : jit::shared_folders(path, jit::list_of_shared_folders()))
    if (auto shared = jit::open_shared(folder); shared.directory)
      return std::move(*shared.directory);
  auto readable = CacheDirectory::open(path, jit::Trust::any);
  if (!readable.directory)
    throw Failure(2,
                  fmt::format("cannot open the cache directory '{}': {}", path, readable.problem));
  fmt::print(stderr, "warning: the library would not use '{}': {}\n", path, trusted.problem);
  return std::move(*readable.directory);
}

StoredEntry read(const CacheDirectory& directory, const jit::CacheFile& file) {
  const jit::ReadFile content = directory.read(file.name, false);
  StoredEntry entry{file, {}};
  if (content.state != jit::ReadFile::State::read) {
    entry.parsed.reason = content.reason.empty() ? "the file has vanished" : content.reason;
    return entry;
  }
  entry.parsed = jit::parse_entry(content.bytes);
  if (entry.good() && jit::entry_name(entry.parsed.key) != file.name) {
    entry.parsed.state = EntryState::bad;
    entry.parsed.reason = "key: it is the entry of " + jit::short_name_of(entry.parsed.key);
  }
  return entry;
}

/// A directory may hold more than fits into memory.
StoredEntry read_without_payload(const CacheDirectory& directory, const jit::CacheFile& file) {
  StoredEntry stored = read(directory, file);
  jit::CacheEntry& entry = stored.parsed.entry;
  entry.source = entry.ir = entry.assembly = std::string();
  entry.object = std::vector<std::byte>();
  return stored;
}

auto order(const StoredEntry& stored) {
  return std::tuple(!stored.good(), std::string_view(stored.parsed.entry.key.kernel),
                    stored.parsed.entry.created, std::string_view(stored.file.name));
}

}  // namespace

Store load(const std::string& configured) {
  const std::string path = location(configured);
  core::Log log = core::tool_log("op2-jitinspect");
  const core::Progress progress(log, fmt::format("reading '{}'", path));
  Store store{path, open(path), {}, {}};
  store.files = store.directory.files();
  for (const jit::CacheFile& file : store.files)
    if (file.kind == jit::CacheFileKind::entry)
      store.entries.push_back(read_without_payload(store.directory, file));
  std::ranges::sort(store.entries, {}, order);
  return store;
}

const StoredEntry& good_one(const StoredEntry& stored) {
  if (stored.good()) return stored;
  throw Failure(
      1, fmt::format("entry {} cannot be shown: {}", stored.file.name, stored.parsed.reason));
}

StoredEntry complete(const Store& store, const StoredEntry& entry) {
  StoredEntry whole = read(store.directory, entry.file);
  good_one(whole);
  return whole;
}

}  // namespace op2::jitinspect
