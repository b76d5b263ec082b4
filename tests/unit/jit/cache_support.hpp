// SPDX-License-Identifier: BSD-3-Clause
// What the tests of the disk cache share: entries, directories, child processes.
#pragma once

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <core/hash.hpp>
#include <core/log.hpp>
#include <jit/cache_directory.hpp>
#include <jit/cache_entry.hpp>
#include <jit/disk_cache.hpp>
#include <support/temporary_directory.hpp>

namespace op2::jit::test {

namespace fs = std::filesystem;

inline constexpr unsigned nobody = 65534;

using op2::test::TemporaryDirectory;

/// A small entry; equal numbers, equal entries.
inline CacheEntry entry_number(int number) {
  CacheEntry entry;
  const std::string digits = std::to_string(number);
  entry.key = {
      .target = "cpu",
      .generator = "1",
      .compiler = "LLVM 19",
      .triple = "x86_64-linux-gnu",
      .cpu = "znver5",
      .features = "+avx2",
      .options = "",
      .kernel = "kernel" + digits,
      .source = "void kernel" + digits + "(double *x) {\n  *x = 1;\n}\n",
      .arguments = "dat double x4 inc dat=0 map=0 column 1 of 2\ndat double x1 read dat=1\n",
      .constants = "double gam[1]\n",
      .includes = ""};
  entry.symbol = "range_" + digits;
  entry.signature = "double *";
  entry.loop = "loop" + digits;
  entry.constants = {{.call = 0, .name = "gam"}};
  entry.simd = {.reason = ScalarReason::not_profitable, .amount = number, .limit = 1};
  entry.findings = {{.argument = number,
                     .is_omission = 1,
                     .what = "writes it",
                     .advice = "make it OP_RW",
                     .file = "kernel" + digits,
                     .line = 2,
                     .column = 3,
                     .source_line = "  *x = 1;"}};
  entry.facts = {{.writes_all = true},
                 {.only_adds = true},
                 {.why = "reads it", .file = "kernel" + digits, .line = 2, .column = 4}};
  entry.source = "// source\n";
  entry.ir = "; ir\n";
  entry.assembly = "# assembly\n";
  entry.object.assign(16, std::byte(number));
  entry.compile_seconds = 0.125;
  entry.created = 1'700'000'000 + number;
  return entry;
}

inline Key key_of(const CacheEntry& entry) {
  return make_key(entry.key);
}

inline std::vector<std::byte> file_of(const CacheEntry& entry) {
  return serialise(key_of(entry), entry);
}

inline void write_file(const fs::path& path, const std::vector<std::byte>& bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  out.close();
  chmod(path.c_str(), 0600);
}

/// Makes the checksum fit the bytes, so that what is behind it can be tested.
inline void sign(std::vector<std::byte>& file) {
  const std::span<const std::byte> bytes(file);
  const core::Digest digest =
      core::Hasher().bytes(bytes.first(56)).bytes(bytes.subspan(88)).finish();
  std::ranges::copy(std::as_bytes(std::span(digest)), file.begin() + 56);
}

/// The file of an entry, but with the number of the next version of the format.
inline std::vector<std::byte> file_of_another_version(const CacheEntry& entry) {
  std::vector<std::byte> file = file_of(entry);
  file[8] = std::byte(cache_format_version + 1);
  sign(file);
  return file;
}

inline fs::path path_of(const fs::path& directory, const CacheEntry& entry) {
  return directory / entry_name(key_of(entry));
}

/// Number of files of this kind.
inline int count_files(const fs::path& directory, CacheFileKind kind) {
  int count = 0;
  for (const auto& file : fs::directory_iterator(directory))
    count += kind_of(file.path().filename().string()) == kind;
  return count;
}

/// An open cache and the log it needs.
struct OpenCache {
  explicit OpenCache(CacheOptions options) : cache(DiskCache::open(options, log)) {}
  explicit OpenCache(const fs::path& directory) : OpenCache(options_for(directory)) {}
  static CacheOptions options_for(const fs::path& directory) {
    CacheOptions options;
    options.directory = directory.string();
    return options;
  }
  bool has(const CacheEntry& entry) { return cache->find(key_of(entry), entry.key).has_value(); }
  void publish(const CacheEntry& entry) { cache->publish(key_of(entry), entry); }

  core::Log log{core::LogLevel::off};
  std::unique_ptr<DiskCache> cache;
};

/// Starts a child process that runs `body` and exits with its value.
inline pid_t start_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  return child;
}

/// The exit code of a child, or minus the signal that ended it.
inline int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

inline int in_child(const std::function<int()>& body) {
  return wait_for(start_child(body));
}

/// For the inside of a child process of root: go on as the user nobody.
inline bool become_nobody() {
  return setgid(nobody) == 0 && setuid(nobody) == 0;
}

}  // namespace op2::jit::test
