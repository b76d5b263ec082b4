// SPDX-License-Identifier: BSD-3-Clause
// Partial results of lazy globals stay on their ranks until a value is needed: a reduction that
// nobody reads makes nobody wait. For ranks that do not make the same one see program_on_ranks,
// "lazy".
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>
#include <mpi.h>

#include <support/graph_on_ranks.hpp>

namespace op2::test {
namespace {

OP_KERNEL(add_state, (const double* state, double* sum), { *sum += *state; });

struct LazyReductions : testing::TestWithParam<const char*> {
  DeclaredGraph d;
  op_global sum;

  LazyReductions() {
    setenv("OP2_REPRODUCIBLE", GetParam(), 1);
    setenv("OP2_LOG", "error", 1);
    op_init(0, nullptr, 0);
    d = declare(ring(900));
    const double zero = 0;
    sum = op_decl_global(1, &zero, "sum");
    add_twice();  // plans are made together
  }
  ~LazyReductions() override {
    op_exit();
    unsetenv("OP2_REPRODUCIBLE");
  }

  void add_twice() {
    for (int repeat = 0; repeat < 2; ++repeat) {
      op_par_loop(add_state, "add_state", d.cells, op_arg_dat(d.state, OP_READ),
                  op_arg_gbl(sum, OP_INC));
      op_flush();
    }
  }
};

/// Rank 1 goes on when it hears that the others have: nothing depends on times.
TEST_P(LazyReductions, ThatNobodyReadsDelayNobody) {
  char passed = 0;
  if (op_rank() == 1) MPI_Recv(&passed, 1, MPI_CHAR, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  add_twice();
  if (op_rank() == 0) MPI_Send(&passed, 1, MPI_CHAR, 1, 5, MPI_COMM_WORLD);
  double total = 0, expected = 0;
  op_fetch_global(sum, &total);
  for (int cell = 0; cell < 900; ++cell) expected += 4 * first_state(cell);
  EXPECT_EQ(total, expected);
}

INSTANTIATE_TEST_SUITE_P(OnRanks, LazyReductions, testing::Values("off", "on"),
                         [](const auto& of) { return std::string("reproducible_") + of.param; });

}  // namespace
}  // namespace op2::test
