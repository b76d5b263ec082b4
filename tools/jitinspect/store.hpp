// SPDX-License-Identifier: BSD-3-Clause
// The content of a cache directory, read for looking at: nothing of it is executed or linked.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include <jit/cache_directory.hpp>
#include <jit/cache_format.hpp>

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

/// The good entry whose key begins with `name`, or that is the only one of the kernel `name`.
/// @throws Failure if there is none, if it is bad, or if there are several; names them
const StoredEntry& select(const Store& store, const std::string& name);

/// The same, but of several entries of a kernel the one compiled last.
const StoredEntry& select_latest(const Store& store, const std::string& name);

/// The same entry with all that `load` left out of it.
/// @throws Failure if it cannot be read any more
StoredEntry complete(const Store& store, const StoredEntry& entry);

}  // namespace op2::jitinspect
