// SPDX-License-Identifier: BSD-3-Clause
// Each call of the system that a writer makes fails once: the old file stays as it was, or the new
// one is complete, and an error is thrown unless it is.
#include <functional>
#include <numeric>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <op2/checkpoint.hpp>
#include <op2/hdf5.hpp>
#include <op2/op2.hpp>

#include <support/failing_calls.hpp>
#include <support/temporary_directory.hpp>

namespace {

using namespace op2::test;
using Then = FailingCall::Then;

struct Writer {
  const char* name;
  bool hdf5;
  std::function<void(op_map, op_dat, const char*)> write;  ///< the dat, or the mesh, to a file
};

void PrintTo(const Writer& writer, std::ostream* out) {
  *out << writer.name;
}

const double factors[] = {1.5, 2.5};
const Writer writers[] = {
    {"Dump", true, [](op_map, op_dat, const char* file) { op_dump_to_hdf5(file); }},
    {"DatInPlace", true,
     [](op_map, op_dat dat, const char* file) { op_fetch_data_hdf5_file(dat, file); }},
    {"DatAdded", true,
     [](op_map, op_dat dat, const char* file) {
       op_fetch_data_hdf5_file_path(dat, file, "some/group/q");
     }},
    {"Constant", true,
     [](op_map, op_dat, const char* file) {
       op_write_const_hdf5("factors", 2, "double", factors, file);
     }},
    {"Text", false,
     [](op_map, op_dat dat, const char* file) { op_print_dat_to_txtfile(dat, file); }},
    {"Binary", false,
     [](op_map, op_dat dat, const char* file) { op_print_dat_to_binfile(dat, file); }},
    {"Vtu", false,
     [](op_map map, op_dat dat, const char* file) { op_write_vtu(file, map, dat, {&dat, 1}); }},
    {"Checkpoint", false, [](op_map, op_dat, const char* file) { op_checkpoint(file); }},
};

std::optional<std::string> content_if_any(const std::string& path) {
  if (!std::filesystem::exists(path)) return {};
  return content_of(path);
}

class FailedWrites : public testing::TestWithParam<Writer> {
 protected:
  static constexpr int size = 20'000;  // the rows of a dat need several writes of a text file

  FailedWrites() {
    op_init(0, nullptr, 0);
    const op_set points = op_decl_set(size, "points"), lines = op_decl_set(size - 1, "lines");
    std::vector<int> ends;
    for (int line = 0; line + 1 < size; ++line) ends.insert(ends.end(), {line, line + 1});
    std::vector<double> x(2 * size);
    std::iota(x.begin(), x.end(), 0.5);
    map = op_decl_map(lines, points, 2, ends.data(), "ends");
    dat = op_decl_dat(points, 2, "double", x.data(), "x");
  }
  ~FailedWrites() override { op_exit(); }

  void write() const { GetParam().write(map, dat, path.c_str()); }
  /// @return the error, or nothing
  std::string error_of_writing() const {
    try {
      write();
      return "";
    } catch (const op2::Error& error) {
      EXPECT_EQ(error.code(), op2::ErrorCode::io_failure) << error.what();
      EXPECT_THAT(error.what(), testing::HasSubstr("a.out'"));
      return error.what();
    }
  }
  void restore(const std::optional<std::string>& old) const {
    for (const auto& file : std::filesystem::directory_iterator(folder.path()))
      std::filesystem::remove(file);
    if (old) std::ofstream(path, std::ios::binary) << *old;
  }
  /// Lets every call fail in turn. @return how many there are
  int fail_everywhere(const std::optional<std::string>& old, Then then) const {
    restore(old);
    write();
    const std::optional<std::string> complete = content_if_any(path);
    for (int k = 1;; ++k) {
      restore(old);
      const FailingCall failing(folder.path().string(), k, then);
      const std::string error = error_of_writing();
      if (!failing.happened()) return k - 1;
      const auto now = content_if_any(path);
      EXPECT_TRUE(now == complete || (now == old && !error.empty())) << k << ": " << error;
      if (then == Then::be_interrupted || then == Then::be_short) {
        EXPECT_EQ(error, "") << k;
        EXPECT_FALSE(failing.renamed_unlocked()) << k;
      }
      expect_no_other_file_than_kept(error, complete);
    }
  }
  /// A complete file that cannot get its name stays, and the message names it.
  void expect_no_other_file_than_kept(const std::string& error,
                                      const std::optional<std::string>& complete) const {
    for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
      if (file.path() == path) continue;
      EXPECT_THAT(error, testing::HasSubstr("cannot rename '" + file.path().string() + "'"));
      EXPECT_TRUE(content_if_any(file.path()) == complete) << error;
    }
  }
  /// A file that the writer changes or replaces.
  std::string old_file() const {
    if (!GetParam().hdf5) return "old";
    op_dat other = op_decl_dat_temp(dat->set, 2, "double", "x");
    op_dump_to_hdf5(path.c_str());
    op_fetch_data_hdf5_file_path(other, path.c_str(), "x");
    return content_of(path);
  }

  const TemporaryDirectory folder;
  const std::string path = folder / "a.out";
  op_map map = nullptr;
  op_dat dat = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Of, FailedWrites, testing::ValuesIn(writers),
                         [](const auto& writer) { return writer.param.name; });

TEST_P(FailedWrites, LeaveTheOldFileOrTheNewOne) {
  EXPECT_GE(fail_everywhere(old_file(), Then::work), 6);
}

TEST_P(FailedWrites, LeaveNoFileOrTheWholeFile) {
  EXPECT_GE(fail_everywhere({}, Then::work), 6);
}

TEST_P(FailedWrites, OfADiskThatFillsUpLeaveTheOldFile) {
  EXPECT_GE(fail_everywhere(old_file(), Then::be_full), 6);
}

TEST_P(FailedWrites, ThatAreOnlyShortAreContinued) {
  EXPECT_GE(fail_everywhere(old_file(), Then::be_short), 6);
}

TEST_P(FailedWrites, ThatASignalInterruptsAreRepeated) {
  EXPECT_GE(fail_everywhere(old_file(), Then::be_interrupted), 6);
  EXPECT_GE(fail_everywhere({}, Then::be_interrupted), 6);
}

TEST_P(FailedWrites, OnNfsLeaveNoFileOrTheWholeFile) {
  const LikeNfs nfs;
  EXPECT_GE(fail_everywhere({}, Then::work), 6);
}

/// Otherwise the dump would be lost.
TEST_P(FailedWrites, FollowALinkToAFileThatIsNotThereYet) {
  const std::string target = folder / "real.out";
  std::filesystem::create_symlink("middle.out", path);
  std::filesystem::create_symlink("real.out", folder / "middle.out");
  write();
  EXPECT_TRUE(std::filesystem::is_symlink(path));
  EXPECT_TRUE(std::filesystem::is_regular_file(std::filesystem::symlink_status(target)));
}

TEST_P(FailedWrites, NameALoopOfLinks) {
  std::filesystem::create_symlink("b.out", path);
  std::filesystem::create_symlink("a.out", folder / "b.out");
  EXPECT_THAT(error_of_writing(), testing::HasSubstr("Too many levels of symbolic links"));
}

}  // namespace
