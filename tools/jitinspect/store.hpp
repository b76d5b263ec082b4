// SPDX-License-Identifier: BSD-3-Clause
// The content of a cache directory, read for looking at: nothing of it is executed or linked.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <jit/cache_directory.hpp>
#include <jit/cache_entry.hpp>

namespace op2::jitinspect {

/// What ends a command; its exit code is 2 for a wrong request and 1 for bad content.
struct Failure : std::runtime_error {
  Failure(int code, const std::string& text) : std::runtime_error(text), exit_code(code) {}
  int exit_code;
};

/// One file that has the name of an entry.
struct StoredEntry {
  jit::CacheFile file;
  jit::ParsedEntry parsed;  ///< bad also if the file cannot be read or its name is another key's;
                            ///< without source, IR, assembly and object
  bool good() const { return parsed.state == jit::EntryState::good; }
  /// And not only facts about a kernel.
  bool has_code() const { return !parsed.entry.symbol.empty(); }
};

struct Store {
  std::string path;
  jit::CacheDirectory directory;
  std::vector<jit::CacheFile> files;
  std::vector<StoredEntry>
      entries;  ///< by kernel, oldest first; those that are not good at the end
};

/// Reads all entries. Prints a warning if the library would not use the directory.
/// @param configured  empty: the directory that the library would use
/// @throws Failure if there is no such directory
Store load(const std::string& configured);

/// Orders entries by when they were used last, then by when they were compiled.
std::pair<std::int64_t, std::int64_t> last_use(const StoredEntry* stored);

/// What a user's `name` stands for, at least one: the good entries of the kernel or loop of that
/// name (its code, or else its facts); or else those whose key begins with it; or else those of
/// fused loops with such a kernel among theirs.
/// @throws Failure if there is none, or if several keys begin with it; names them
std::vector<const StoredEntry*> select_all(const Store& store, const std::string& name);

/// Of these the entry used last; standard error then names the others and how they differ.
/// @throws Failure also if the entry is bad
const StoredEntry& select(const Store& store, const std::string& name);

/// Of these the entry compiled last.
const StoredEntry& select_latest(const Store& store, const std::string& name);

/// @throws Failure if the entry is not good; says why
const StoredEntry& good_one(const StoredEntry& stored);

/// The same entry with all that `load` left out of it.
/// @throws Failure if it cannot be read any more
StoredEntry complete(const Store& store, const StoredEntry& entry);

/// One field in which two keys differ: what is left of its items without the equal ones at the
/// beginning and at the end. Items are lines, features, or the statements of a text of one line.
struct Difference {
  std::string field;
  const char* unit = "line";  ///< what an item is
  std::size_t first = 1;      ///< number of the first item that differs, from 1
  std::vector<std::string> ours;
  std::vector<std::string> theirs;
};

std::vector<Difference> differences(const jit::KeyFields& ours, const jit::KeyFields& theirs);

}  // namespace op2::jitinspect
