// SPDX-License-Identifier: BSD-3-Clause
// Lets the first, second, third, ... call of the operating system fail, one kind of call after the
// other, until a run gets through without meeting the fault: no answer may be wrong, nothing may
// end the process, and the directory must be as good as new afterwards.
//
// The program calls itself under strace: with a directory as its argument it uses the cache there.
#include <cstdio>
#include <cstdlib>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "cache_support.hpp"

namespace op2::jit {
namespace {

using test::entry_number;
using test::file_of;
using test::key_of;
using test::OpenCache;
using test::path_of;

/// An entry to be found, one to be moved away, and a temporary file to be removed.
void prepare(const std::filesystem::path& directory) {
  using namespace std::chrono_literals;
  std::filesystem::create_directory(directory);
  chmod(directory.c_str(), 0700);
  test::write_file(path_of(directory, entry_number(1)), file_of(entry_number(1)));
  test::write_file(path_of(directory, entry_number(2)), std::vector<std::byte>(200));
  test::write_file(directory / ".tmp.1.2", {});
  for (const auto& file : std::filesystem::directory_iterator(directory))
    std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now() - 48h);
}

bool obtain(OpenCache& open, const CacheEntry& entry) {
  if (const auto found = open.cache->find(key_of(entry), entry.key))
    return found->object == entry.object;
  const Claim claim = open.cache->claim(key_of(entry), "k");
  open.publish(entry);
  const auto found = open.cache->find(key_of(entry), entry.key);
  return !found || found->object == entry.object;
}

/// What the traced process does. 0 if no answer was wrong.
int use(const std::filesystem::path& directory) {
  OpenCache open(directory);
  for (const int number : {1, 2, 3})
    if (!obtain(open, entry_number(number))) return 1;
  return 0;
}

struct Fault {
  const char* call;
  const char* error;
  bool in_directory;  ///< only calls that name the directory: the start of a program makes others
};

void PrintTo(const Fault& fault, std::ostream* out) {
  *out << fault.call << " " << fault.error;
}

class CacheFaults : public testing::TestWithParam<Fault> {
 protected:
  /// Whether the fault happened.
  bool run(const std::filesystem::path& directory, int when) const {
    const Fault& fault = GetParam();
    std::string filter;
    if (fault.in_directory)
      filter = fmt::format("-P {} -P {}", directory.string(),
                           path_of(directory, entry_number(1)).string());
    const std::string log = place_ / "log";
    const std::string command = fmt::format(
        "ASAN_OPTIONS=detect_leaks=0 strace -f -qq -o {} {} -e trace={} -e "
        "inject={}:error={}:when={} {} {} 2>/dev/null",
        log, filter, fault.call, fault.call, fault.error, when, program, directory.string());
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return op2::test::content_of(log).find("(INJECTED)") != std::string::npos;
  }

  op2::test::TemporaryDirectory place_;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
};

TEST_P(CacheFaults, CostAtMostAnEntry) {
  if (std::system("strace -o /dev/null true 2>/dev/null") != 0)
    GTEST_SKIP() << "strace is missing or may not trace here";
  int when = 1;
  bool injected = true;
  for (; injected; ++when) {
    const std::filesystem::path directory = place_.path() / std::to_string(when);
    prepare(directory);
    injected = run(directory, when);
    OpenCache open(directory);
    for (const int number : {1, 2, 3}) EXPECT_TRUE(obtain(open, entry_number(number)));
    for (const int number : {1, 2, 3}) EXPECT_TRUE(open.has(entry_number(number))) << when;
  }
  EXPECT_GT(when, 2) << "the call was never made";
}

INSTANTIATE_TEST_SUITE_P(
    EveryCall, CacheFaults,
    testing::Values(Fault{"openat", "EIO", true}, Fault{"openat", "EROFS", true},
                    Fault{"openat", "EMFILE", true}, Fault{"read", "EIO", true},
                    Fault{"write", "ENOSPC", false}, Fault{"fdatasync", "EIO", false},
                    Fault{"linkat", "ESTALE", false}, Fault{"linkat", "EBUSY", false},
                    Fault{"renameat", "EIO", false}, Fault{"unlinkat", "EBUSY", false},
                    Fault{"fcntl", "ENOLCK", false}, Fault{"newfstatat", "ESTALE", true},
                    Fault{"utimensat", "EROFS", false}, Fault{"getdents64", "EIO", false}));

}  // namespace
}  // namespace op2::jit

int main(int argc, char** argv) {
  if (argc == 2 && argv[1][0] == '/') return op2::jit::use(argv[1]);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
