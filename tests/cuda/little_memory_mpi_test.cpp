// SPDX-License-Identifier: BSD-3-Clause
// The memory of one rank's device is short, that of the others not.
#include <cstdlib>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <mpi.h>

#include <support/expect_error.hpp>
#include <support/graph_on_ranks.hpp>

#include "emulator.hpp"

namespace op2::test {
namespace {

using testing::HasSubstr;

constexpr int cells = 4000;

OP_KERNEL(flow_from, (const double* from, double* into_a, double* into_b), {
  *into_a += *from;
  *into_b += *from;
});
OP_KERNEL(copy_value, (const double* value, double* copy), { *copy = *value; });

class LittleMemoryOnRanks : public testing::Test {
 protected:
  void TearDown() override {
    op_exit();
    for (const char* name : {"OP2_TARGET", "OP2_CHAIN", "OP2_EMU_MEMORY"}) unsetenv(name);
  }

  /// @param memory  of the device of the last rank; that of the others has enough
  void start(std::size_t memory) {
    int rank = 0, ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    setenv("OP2_TARGET", "cuda", 1);
    setenv("OP2_CHAIN", "on", 1);
    if (rank + 1 == ranks) setenv("OP2_EMU_MEMORY", std::to_string(memory).c_str(), 1);
    reset_emulator();
    op_init(0, nullptr, 0);
    mesh = declare(ring(cells));
  }

  void step() {
    op_par_loop(flow_from, "flow_from", mesh.edges, op_arg_dat(mesh.state, 0, mesh.ends, OP_READ),
                op_arg_dat(mesh.flux, 0, mesh.ends, OP_INC),
                op_arg_dat(mesh.flux, 1, mesh.ends, OP_INC));
    run_update(mesh);
  }
  /// After so many steps; each cell keeps what the one before it had.
  std::vector<double> expected(int steps) const {
    std::vector<double> values;
    for (int cell = mesh.my_cells.begin; cell < mesh.my_cells.end; ++cell)
      values.push_back(first_state((cell + cells - steps) % cells));
    return values;
  }
  std::vector<double> state() const {
    std::vector<double> values(static_cast<std::size_t>(mesh.my_cells.size()));
    op_fetch_data(mesh.state, values.data());
    return values;
  }

  DeclaredGraph mesh{};
};

TEST_F(LittleMemoryOnRanks, AllStopGatheringIfOneHasNoRoomForSecondBuffers) {
  start(126000);
  for (int k = 0; k < 3; ++k) {
    step();
    op_flush();
  }
  EXPECT_EQ(state(), expected(3));
}

TEST_F(LittleMemoryOnRanks, AllThrowIfOneHasTooLittleAndAllCanRead) {
  start(110000);
  for (int k = 0; k < 3; ++k) {
    step();
    op_flush();
  }
  const op_dat copy = op_decl_dat<double>(mesh.cells, 1, "double", nullptr, "copy");
  op_par_loop(copy_value, "copy_value", mesh.cells, op_arg_dat(mesh.state, OP_READ),
              op_arg_dat(copy, OP_WRITE));
  EXPECT_THAT(error_text(ErrorCode::out_of_memory, [] { op_flush(); }),
              HasSubstr("dat 'copy' on set 'cells'"));
  EXPECT_EQ(state(), expected(3));
}

}  // namespace
}  // namespace op2::test
