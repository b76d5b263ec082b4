// SPDX-License-Identifier: BSD-3-Clause
// A checkpoint that N ranks have written goes on on M ranks, with the same bits in the reproducible
// mode; every rank gets the errors.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <mpi.h>

#include <support/checkpoint_program.hpp>
#include <support/expect_error.hpp>
#include <support/failing_calls.hpp>
#include <support/shared_folder.hpp>
#include <support/temporary_directory.hpp>

namespace op2::test {
namespace {

using State = CheckpointProgram::State;
using Then = FailingCall::Then;

class CheckpointOnRanks : public testing::Test {
 protected:
  CheckpointOnRanks() { setenv("OP2_REPRODUCIBLE", "on", 1); }
  ~CheckpointOnRanks() override { unsetenv("OP2_REPRODUCIBLE"); }

  /// A session of the first `count` ranks; the others wait.
  template <class Action>
  void on_ranks(int count, const Action& action) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm some = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank < count ? 0 : 1, rank, &some);
    if (rank < count) {
      op_mpi_init(0, nullptr, 0, MPI_Comm_c2f(some));
      action();
      op_exit();
    }
    MPI_Comm_free(&some);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  static int size() {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
  }
  static int rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
  }

  SharedFolder folder;
  std::string path = folder / "a.ckpt";
};

TEST_F(CheckpointOnRanks, GoesOnOnAnyNumberOfThem) {
  State expected;
  on_ranks(1, [&] {
    CheckpointProgram program;
    while (program.step < 6) program.advance_one_step();
    expected = program.state();
  });
  for (int writers = 1; writers <= size(); ++writers)
    for (int readers = 1; readers <= size(); ++readers) {
      on_ranks(writers, [&] {
        CheckpointProgram program;
        while (program.step < 3) program.advance_one_step();
        op_checkpoint(path.c_str());
      });
      on_ranks(readers, [&] {
        CheckpointProgram program;
        if (readers % 2 == 1) program.advance_one_step();  // the mesh is distributed already
        EXPECT_TRUE(op_restore(path.c_str()));
        while (program.step < 6) program.advance_one_step();
        const State state = program.state();
        if (rank() == 0) {
          EXPECT_EQ(state, expected) << writers << " to " << readers;
        }
      });
    }
}

/// The loops after it have a plan already.
TEST_F(CheckpointOnRanks, ComesBackBetweenLoopsThatAreRepeated) {
  for (const int count : {1, size()})
    on_ranks(count, [&] {
      CheckpointProgram program;
      const auto advance = [&] {
        program.advance_one_step();
        op_flush();
      };
      advance();
      op_checkpoint(path.c_str());
      advance();
      advance();
      const State expected = program.state();
      for (int k = 0; k < 3; ++k) {
        EXPECT_TRUE(op_restore(path.c_str()));
        advance();
        advance();
        EXPECT_EQ(program.state(), expected) << k;
      }
    });
}

/// All ranks read one of the two files, although the root's opening is not the last thing before
/// another process replaces the file.
TEST_F(CheckpointOnRanks, ThatAnotherReplacesMeanwhileIsOneFileForAll) {
  const std::string other = folder / "other.ckpt";
  for (const int count : {1, size()})
    on_ranks(count, [&] {
      CheckpointProgram program;
      State written[2];
      for (State& state : written) {
        program.advance_one_step();
        op_checkpoint((&state == written ? path : other).c_str());
        state = program.state();
      }
      for (const int times : {1, 2, 3}) {
        const ExchangedFiles exchanged(path, other, op_is_root() ? times : 0);
        EXPECT_TRUE(op_restore(path.c_str()));
        const State state = program.state();
        EXPECT_TRUE(state == written[0] || state == written[1]) << times;
      }
    });
}

TEST_F(CheckpointOnRanks, ThatOneRankNeverSeesIsAnErrorOnAll) {
  if (size() == 1) return;
  on_ranks(size(), [&] {
    CheckpointProgram program;
    op_checkpoint(path.c_str());
    const std::string before = std::filesystem::current_path();
    std::filesystem::current_path(op_is_root() ? folder.path() : "/");
    EXPECT_THAT(error_text(ErrorCode::bad_checkpoint, [] { op_restore("a.ckpt"); }),
                testing::HasSubstr("ranks see different files: 'a.ckpt'"));
    std::filesystem::current_path(before);
  });
}

TEST_F(CheckpointOnRanks, IsRefusedByAllOfThem) {
  on_ranks(size(), [&] {
    CheckpointProgram program;
    op_checkpoint(path.c_str());
  });
  on_ranks(size(), [&] {
    CheckpointProgram program;
    double more = 0;
    op_keep("more", &more);
    error_text(ErrorCode::bad_checkpoint, [&] { op_restore(path.c_str()); });
    error_text(ErrorCode::io_failure, [&] { op_checkpoint("/nowhere/a.ckpt"); });
    EXPECT_FALSE(op_restore((path + ".other").c_str()));
  });
}

/// What only some ranks keep is another program on them, which is an error of all.
TEST_F(CheckpointOnRanks, IsRefusedIfOneOfThemKeepsMore) {
  on_ranks(size(), [&] {
    const CheckpointProgram program;
    op_checkpoint(path.c_str());
  });
  for (const bool root : {true, false})
    on_ranks(size(), [&] {
      const CheckpointProgram program;
      double more = 0;
      if (op_is_root() == root) op_keep("more", &more);
      EXPECT_THAT(error_text(ErrorCode::bad_checkpoint, [&] { op_restore(path.c_str()); }),
                  testing::HasSubstr("kept value number 3 is nothing more in the file"));
    });
}

/// A complete file that cannot get its name stays beside it.
void remove_all_but(const std::string& path) {
  for (const auto& file :
       std::filesystem::directory_iterator(std::filesystem::path(path).parent_path()))
    if (file.path() != path) std::filesystem::remove(file);
}

/// Every call of the system that a rank makes fails once: the previous checkpoint stays as it was,
/// and all ranks get the error.
void expect_previous_one_if_a_rank_fails(int failing_rank, Then then, const std::string& folder) {
  const std::string path = folder + "/a.ckpt";
  CheckpointProgram program;
  op_checkpoint(path.c_str());
  int failures = 0;
  for (int k = 1;; ++k) {
    const std::string before = content_of(path);
    program.advance_one_step();
    op_flush();
    MPI_Barrier(MPI_COMM_WORLD);
    std::string error;
    int happened = 0;
    {
      const FailingCall failing(op_rank() == failing_rank ? folder : "nowhere", k, then);
      try {
        op_checkpoint(path.c_str());
      } catch (const Error& thrown) {
        EXPECT_EQ(thrown.code(), ErrorCode::io_failure) << thrown.what();
        error = thrown.what();
      }
      happened = op_rank() == failing_rank && failing.happened() ? 1 : 0;
    }
    int failed[2] = {error.empty() ? 0 : 1, happened}, most[2] = {};
    MPI_Allreduce(failed, most, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    EXPECT_EQ(failed[0], most[0]) << k << ": " << error;
    if (failing_rank != 0) {
      EXPECT_EQ(content_of(path) == before, most[0] == 1) << k << ": " << error;
    }
    EXPECT_TRUE(op_restore(path.c_str())) << k;
    failures += most[0];
    if (op_is_root()) remove_all_but(path);
    MPI_Barrier(MPI_COMM_WORLD);
    if (most[1] == 0) break;
  }
  EXPECT_GE(failures, 3);
}

TEST_F(CheckpointOnRanks, OfARankThatCannotWriteIsThePreviousOne) {
  for (const Then then : {Then::work, Then::be_full})
    for (const int failing : {0, size() - 1})
      on_ranks(size(), [&] { expect_previous_one_if_a_rank_fails(failing, then, folder.path()); });
}

TEST_F(CheckpointOnRanks, IsWrittenIfTheSignalComesToOneOfThem) {
  on_ranks(size(), [&] {
    CheckpointProgram program;
    op_checkpoint_at(path.c_str(), {.signal = SIGUSR1});
    EXPECT_FALSE(op_checkpoint_step());
    if (op_rank() == op_ranks() - 1) ::raise(SIGUSR1);
    std::int64_t steps = 0;
    while (!op_checkpoint_step()) ++steps;
    program.step = steps;
    EXPECT_TRUE(op_restore(path.c_str()));
    EXPECT_EQ(program.step, 0);
  });
}

}  // namespace
}  // namespace op2::test
