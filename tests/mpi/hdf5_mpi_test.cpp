// SPDX-License-Identifier: BSD-3-Clause
// HDF5 files of several ranks: by MPI-IO and by the root, with any blocks and pieces; and errors,
// which all ranks get.
#include <comm/files/hdf5_file.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <comm/messages/mpi_communicator.hpp>
#include <comm/messages/records.hpp>
#include <support/expect_error.hpp>
#include <support/failing_calls.hpp>
#include <support/hdf5_maker.hpp>
#include <support/shared_folder.hpp>

namespace op2::test {
namespace {

using namespace op2::comm;
using testing::AllOf;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;
using Access = Hdf5File::Access;

/// Everything on the last rank; nothing on the first; equal blocks.
std::vector<Blocks> ways_to_divide(GlobalId size, int ranks) {
  Blocks last, odd;
  last.begin.assign(static_cast<std::size_t>(ranks) + 1, 0);
  last.begin.back() = size;
  for (int rank = 0; rank <= ranks; ++rank) odd.begin.push_back(rank <= 1 ? 0 : size);
  odd.begin.back() = size;
  return {equal_blocks(size, ranks), last, odd};
}

class Hdf5OnRanks : public testing::TestWithParam<bool> {
 protected:
  void on_root(const std::function<void()>& action) {
    if (ranks.is_root()) action();
    ranks.barrier();
  }
  Hdf5Options options(std::int64_t piece = 1 << 28) const { return {GetParam(), piece}; }

  /// Values that tell row and column, of this rank's block.
  template <class T>
  std::vector<T> rows_of(const Blocks& blocks, int dim) const {
    const auto rank = static_cast<std::size_t>(ranks.rank());
    std::vector<T> values(static_cast<std::size_t>(blocks.count(ranks.rank()) * dim));
    std::iota(values.begin(), values.end(), static_cast<T>(blocks.begin[rank] * dim));
    return values;
  }
  void write(const Blocks& blocks, int dim, std::int64_t piece = 1 << 28) {
    Hdf5File file(ranks, path, Access::append, options(piece));
    file.write_rows({"group/v", blocks, Type::i64, dim}, rows_of<std::int64_t>(blocks, dim).data());
    file.publish();
  }
  template <class T>
  void expect_readable(const Blocks& blocks, int dim, std::int64_t piece = 1 << 28) {
    std::vector<T> values(static_cast<std::size_t>(blocks.count(ranks.rank()) * dim));
    Hdf5File(ranks, path, Access::read, options(piece))
        .read_rows({"group/v", blocks, type_of<T>(), dim}, values.data());
    EXPECT_EQ(values, rows_of<T>(blocks, dim));
  }
  /// Every rank gets this error of reading.
  std::string reading_fails(ErrorCode code, const Blocks& blocks, int dim, Type type = Type::i32) {
    std::vector<double> values(static_cast<std::size_t>(blocks.size() * dim));
    return error_text(code, [&] {
      Hdf5File(ranks, path, Access::read, options())
          .read_rows({"group/v", blocks, type, dim}, values.data());
    });
  }

  const std::unique_ptr<MpiSession> session = start_mpi({});
  Communicator& ranks = *session->communicator;
  const Blocks few = equal_blocks(10, ranks.size());
  SharedFolder folder;
  std::string path = folder / "a.h5";
};

INSTANTIATE_TEST_SUITE_P(Ways, Hdf5OnRanks, testing::Bool(), [](const auto& together) {
  return together.param ? "Together" : "ByTheRoot";
});

TEST_P(Hdf5OnRanks, RowsComeBackHoweverTheyAreDivided) {
  for (const GlobalId size : {0, 1, 50})
    for (const Blocks& written : ways_to_divide(size, ranks.size())) {
      write(written, 3);
      for (const Blocks& read : ways_to_divide(size, ranks.size())) {
        expect_readable<std::int64_t>(read, 3);
        expect_readable<int>(read, 3);
        expect_readable<double>(read, 3);
      }
    }
}

TEST_P(Hdf5OnRanks, RowsMoveInPieces) {
  for (const std::int64_t piece : {100, 1000})
    for (const Blocks& blocks : ways_to_divide(333, ranks.size())) {
      write(blocks, 2, piece);
      expect_readable<std::int64_t>(blocks, 2, piece);
      expect_readable<int>(blocks, 2, piece);
    }
}

TEST_P(Hdf5OnRanks, FewValuesAreTheRootsOnEveryRank) {
  Hdf5File file(ranks, path, Access::create, options());
  const double values[] = {ranks.rank() + 1.0, 2};
  double got[2] = {};
  file.write_values("c", Type::f64, 2, values);
  file.read_values("c", Type::f64, 2, got);
  EXPECT_THAT(got, ElementsAre(1, 2));
  EXPECT_THAT(file.extents("c"), Optional(ElementsAre(2)));
  EXPECT_EQ(file.extents("absent"), std::nullopt);
}

TEST_P(Hdf5OnRanks, AFileThatIsNotPublishedIsRemoved) {
  {
    Hdf5File file(ranks, path, Access::create, options());
    file.write_rows({"v", few, Type::i64, 1}, rows_of<std::int64_t>(few, 1).data());
  }
  ranks.barrier();
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_P(Hdf5OnRanks, WhatIsInTheFileMustFit) {
  write(few, 2);
  EXPECT_THAT(reading_fails(ErrorCode::bad_dataset, few, 3),
              AllOf(HasSubstr("'group/v'"), HasSubstr("a.h5"), HasSubstr("[10 x 2]")));
  EXPECT_THAT(reading_fails(ErrorCode::bad_dataset, equal_blocks(11, ranks.size()), 2),
              HasSubstr("[11 x 2]"));
}

TEST_P(Hdf5OnRanks, AValueOfOneRankThatDoesNotFitIsAnErrorOnAll) {
  auto values = rows_of<std::int64_t>(few, 2);
  if (few.begin[static_cast<std::size_t>(ranks.rank()) + 1] == 10 && !values.empty())
    values.back() = 3000000000;
  Hdf5File file(ranks, path, Access::append, options());
  file.write_rows({"group/v", few, Type::i64, 2}, values.data());
  file.publish();
  EXPECT_THAT(reading_fails(ErrorCode::bad_dataset, few, 2),
              AllOf(HasSubstr("row 9, column 1"), HasSubstr("3000000000")));
}

TEST_P(Hdf5OnRanks, FilesThatCannotBeReadAreErrorsOnAll) {
  EXPECT_THAT(reading_fails(ErrorCode::io_failure, few, 1),
              AllOf(HasSubstr("a.h5"), HasSubstr("No such file or directory")));
  on_root([&] { std::ofstream(path) << "this is not an HDF5 file"; });
  EXPECT_THAT(reading_fails(ErrorCode::io_failure, few, 1), HasSubstr("not an HDF5 file"));
  on_root([&] { std::filesystem::remove(path); });
  write(equal_blocks(10000, ranks.size()), 1);
  on_root([&] { std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1000); });
  EXPECT_THAT(reading_fails(ErrorCode::io_failure, few, 1),
              AllOf(HasSubstr("a.h5"), HasSubstr("truncated")));
}

TEST_P(Hdf5OnRanks, AFileThatOneRankDoesNotSeeIsAnErrorOnAll) {
  write(few, 1);
  if (!OP2_TEST_PARALLEL || !GetParam() || ranks.size() == 1) return;  // only the root looks
  if (!ranks.is_root()) path += ".elsewhere";
  EXPECT_THAT(reading_fails(ErrorCode::io_failure, few, 1),
              HasSubstr("a.h5.elsewhere': No such file or directory"));
}

TEST_P(Hdf5OnRanks, FilesThatCannotBeCreatedAreErrorsOnAll) {
  path = folder / "missing/a.h5";
  EXPECT_THAT(error_text(ErrorCode::io_failure, [&] { write(few, 1); }),
              AllOf(HasSubstr("missing/a.h5"), HasSubstr("No such file or directory")));
}

TEST_P(Hdf5OnRanks, DatasetsOfOtherFilesAreReadAndNotWritten) {
  const std::string own = path;
  path = folder / "b.h5";
  write(few, 1);
  path = own;
  on_root([&] { Hdf5Maker(path).add_link("group", "b.h5", "/group"); });
  expect_readable<int>(few, 1);
  EXPECT_THAT(error_text(ErrorCode::bad_dataset, [&] { write(few, 1); }), HasSubstr("'b.h5'"));
}

/// Clients of NFS mix up pages that several of them write.
TEST_P(Hdf5OnRanks, OnlyTheRootWritesAFileOnNfs) {
  const LikeNfs nfs;
  const FailingCall failing(ranks.is_root() ? "nowhere" : folder.path(), 1);
  write(few, 1);
  EXPECT_FALSE(failing.happened());
  expect_readable<int>(few, 1);
}

/// One call of one rank fails: all ranks get an error and the old file is as it was, or the new one
/// is complete.
class Hdf5FailedWrite : public Hdf5OnRanks {
 protected:
  using Then = FailingCall::Then;
  const Blocks blocks = equal_blocks(3000, ranks.size());

  /// A replaced, an unchanged and a new dataset.
  void write_all(Access access) {
    Hdf5File file(ranks, path, access, options(4000));
    file.write_rows({"group/v", blocks, Type::i64, 2}, rows_of<std::int64_t>(blocks, 2).data());
    file.write_rows({"new", blocks, Type::f64, 1}, rows_of<double>(blocks, 1).data());
    const int size = 3000;
    file.write_values("size", Type::i32, 1, &size);
    file.publish();
  }
  std::string content() const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void restore(const std::string& old) {
    ranks.barrier();  // all have read the file
    on_root([&] { std::ofstream(path, std::ios::binary) << old; });
  }
  bool on_any(bool mine) {
    WordReduction words{{}, {}, {mine ? 1 : 0}};
    ranks.reduce(words, "whether a call failed");
    return words.maxima.front() != 0;
  }
  /// @return whether rank `victim` has made so many calls
  bool fail_once(Access access, int victim, int k, Then then) {
    restore(old_);
    const bool mine = ranks.rank() == victim;
    const FailingCall failing(mine ? folder.path() : "nowhere", k, then);
    std::string error;
    try {
      write_all(access);
    } catch (const Error& caught) {
      error = caught.what();
      EXPECT_THAT(error, HasSubstr("a.h5"));
    }
    EXPECT_EQ(on_any(error.empty()), error.empty()) << "an error of one rank is thrown on all";
    const std::string now = content();
    EXPECT_TRUE(now == complete_ || (now == old_ && !error.empty())) << victim << ", call " << k;
    return on_any(mine && failing.happened());
  }
  void fail_everywhere(Access access, Then then) {
    write(few, 1);
    old_ = content();
    write_all(access);
    complete_ = content();
    const bool all = std::getenv("TEST_FAILURES") != nullptr;
    for (int victim = 0; victim < ranks.size(); victim += all ? 1 : std::max(1, ranks.size() - 1)) {
      int k = 1;
      while (fail_once(access, victim, k, then)) ++k;
      EXPECT_GE(k, victim == 0 ? 8 : 1) << "rank " << victim << " makes few calls";
    }
  }

  std::string old_, complete_;
};

INSTANTIATE_TEST_SUITE_P(Ways, Hdf5FailedWrite, testing::Bool(), [](const auto& together) {
  return together.param ? "Together" : "ByTheRoot";
});

TEST_P(Hdf5FailedWrite, OfANewFileLosesNothing) {
  fail_everywhere(Access::create, Then::work);
}

TEST_P(Hdf5FailedWrite, OfAnExistingFileLosesNothing) {
  fail_everywhere(Access::append, Then::work);
}

TEST_P(Hdf5FailedWrite, OnADiskThatFillsUpLosesNothing) {
  fail_everywhere(Access::append, Then::be_full);
}

}  // namespace
}  // namespace op2::test
