// SPDX-License-Identifier: BSD-3-Clause
// A checkpoint that N ranks have written goes on on M ranks, with the same bits in the reproducible
// mode; every rank gets the errors.
#include <csignal>
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <mpi.h>

#include <support/checkpoint_program.hpp>
#include <support/expect_error.hpp>
#include <support/shared_folder.hpp>

namespace op2::test {
namespace {

using State = CheckpointProgram::State;

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
