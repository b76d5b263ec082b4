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
OP_KERNEL(add_last, (const double* values, double* value), { *value += values[8999]; });
OP_KERNEL(copy_value, (const double* value, double* copy), { *copy = *value; });

class LittleMemoryOnRanks : public testing::Test {
 protected:
  void TearDown() override {
    op_exit();
    for (const char* name : {"OP2_TARGET", "OP2_CHAIN", "OP2_EMU_MEMORY"}) unsetenv(name);
  }

  /// @param memory  of the device of the last rank; that of the others has enough
  /// @param chain   OP2_CHAIN; off: an exchange for each step
  void start(std::size_t memory, const char* chain = "on") {
    int rank = 0, ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    setenv("OP2_TARGET", "cuda", 1);
    setenv("OP2_CHAIN", chain, 1);
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

/// Everything fits; then all do without second buffers; then all have an error, and what they had.
TEST_F(LittleMemoryOnRanks, AllRanksAgreeOnWhatToDoWithout) {
  int right = 0, failed = 0;
  for (const int steps : {1, 2})  // in a sequence of loops
    for (std::size_t memory = 120000; memory >= 40000; memory -= 4000) {
      start(memory, steps == 1 ? "on" : "off");
      try {
        for (int k = 0; k < 3; ++k) {
          for (int one = 0; one < steps; ++one) step();
          op_flush();
        }
        EXPECT_EQ(state(), expected(3 * steps)) << memory;
        ++right;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::out_of_memory) << error.what();
        EXPECT_EQ(state(), expected(0)) << memory;
        ++failed;
      }
      op_exit();
    }
  EXPECT_GT(right, 0);
  EXPECT_GT(failed, 0);
}

/// What an old sequence keeps leaves one rank no room for the messages of the first exchange of the
/// next, when others have prepared the second one, too. All try again without the old sequence.
TEST_F(LittleMemoryOnRanks, ExchangesMatchAfterARankCouldNotPrepareAllOfThem) {
  constexpr int count = 9000;
  constexpr std::size_t used = (count + cells / 2 + 2) * sizeof(double);  // by the old sequence
  const std::vector<double> zeros(count);
  for (std::size_t free = 0; free < 500; free += 40) {
    start(used + free, "off");
    op_par_loop(add_last, "add_last", mesh.cells,
                op_arg_gbl(zeros.data(), count, "double", OP_READ), op_arg_dat(mesh.state, OP_RW));
    op_flush();
    step();
    step();
    op_flush();
    EXPECT_EQ(state(), expected(2)) << free;
    op_exit();
  }
}

TEST_F(LittleMemoryOnRanks, AllCanReadWhatTheirDevicesHave) {
  start(120000);
  std::vector<op_dat> copies;
  for (const char* name : {"copy1", "copy2", "copy3", "copy4", "copy5", "copy6"})
    copies.push_back(op_decl_dat<double>(mesh.cells, 1, "double", nullptr, name));
  for (int k = 0; k < 3; ++k) {
    step();
    op_flush();
  }
  for (const op_dat copy : copies) {
    op_par_loop(copy_value, "copy_value", mesh.cells, op_arg_dat(mesh.state, OP_READ),
                op_arg_dat(copy, OP_WRITE));
  }
  EXPECT_THAT(error_text(ErrorCode::out_of_memory, [] { op_flush(); }),
              HasSubstr("out of device memory: dat 'copy"));
  EXPECT_EQ(state(), expected(3));
}

}  // namespace
}  // namespace op2::test
