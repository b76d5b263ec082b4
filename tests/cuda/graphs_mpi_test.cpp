// SPDX-License-Identifier: BSD-3-Clause
// What a rank queues on its device for a chain that repeats: a graph for each half if messages are
// in flight between them, otherwise one.
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <support/graph_on_ranks.hpp>

#include "emulator.hpp"

namespace op2::test {
namespace {

constexpr int cells = 3000, repeats = 5;

struct Launches {
  long long graphs = 0, kernels = 0;

  static Launches so_far() {
    return {emulated_calls("cuGraphLaunch"), emulated_calls("cuLaunchKernel")};
  }
};
Launches operator-(const Launches& a, const Launches& b) {
  return {a.graphs - b.graphs, a.kernels - b.kernels};
}

class GraphsOnRanks : public testing::Test {
 protected:
  void SetUp() override {
    op_init(0, nullptr, 0);
    mesh = declare(ring(cells));
  }
  void TearDown() override { op_exit(); }

  /// Of a chain that has run before, for each repetition.
  template <class Chain>
  static Launches launches_of(const Chain& chain) {
    const auto run = [&] {
      for (int k = 0; k < repeats; ++k) {
        chain();
        op_flush();
      }
    };
    run();
    const Launches before = Launches::so_far();
    run();
    const Launches all = Launches::so_far() - before;
    EXPECT_EQ(all.graphs % repeats, 0);
    EXPECT_EQ(all.kernels % repeats, 0);
    return {all.graphs / repeats, all.kernels / repeats};
  }

  DeclaredGraph mesh{};
};

TEST_F(GraphsOnRanks, AChainWithAnExchangeIsTwoGraphsBesideWhatPacksAndUnpacks) {
  const std::int64_t exchanges = op_get_chain_statistics().exchanges;
  const Launches each = launches_of([&] { run_steps(mesh, 1); });
  const bool alone = op_ranks() == 1;
  EXPECT_EQ(op_get_chain_statistics().exchanges - exchanges, alone ? 0 : 2 * repeats);
  EXPECT_EQ(each.graphs, alone ? 1 : 2);
  EXPECT_EQ(each.kernels, alone ? 0 : 2);
}

TEST_F(GraphsOnRanks, AChainWithoutAnExchangeIsOneGraph) {
  const std::int64_t exchanges = op_get_chain_statistics().exchanges;
  const Launches each = launches_of([&] {
    run_update(mesh);
    run_update(mesh);
  });
  EXPECT_EQ(op_get_chain_statistics().exchanges, exchanges);
  EXPECT_EQ(each.graphs, 1);
  EXPECT_EQ(each.kernels, 0);
}

/// Of the arrays of a dat, 24 kB on a rank of two, nothing else is copied.
TEST_F(GraphsOnRanks, AnExchangeCopiesTheRowsOfTheHaloOnly) {
  if (op_ranks() == 1) GTEST_SKIP() << "there is no halo";
  run_steps(mesh, 1);
  op_flush();
  const long long before = emulated_copied_bytes();
  run_steps(mesh, 1);
  op_flush();
  EXPECT_LE(emulated_copied_bytes() - before, 2 * 64);  // header, up to two rows, padding
}

/// The functions of the driver that wait, or ask whether they have to.
bool waits(const std::string& function) {
  return function == "cuEventSynchronize" || function == "cuStreamSynchronize" ||
         function == "cuEventQuery" || function == "cuStreamQuery" ||
         function == "cuCtxSynchronize";
}
bool launches(const std::string& function) {
  return function == "cuLaunchKernel" || function == "cuGraphLaunch";
}

/// The device computes while messages are copied and sent. The first time kernels are launched one
/// by one.
TEST_F(GraphsOnRanks, TheInteriorIsQueuedBeforeTheHostWaitsForWhatIsPacked) {
  if (op_ranks() == 1) GTEST_SKIP() << "nothing is packed";
  for (int k = 0; k < repeats; ++k) {
    run_steps(mesh, 1);
    emulated_history();
    op_flush();
    const std::vector<std::string> calls = emulated_history();
    const auto packed = std::ranges::find_if(calls, launches);
    ASSERT_NE(packed, calls.end());
    const auto waited = std::find_if(packed, calls.end(), waits);
    ASSERT_NE(waited, calls.end());
    EXPECT_GT(std::count_if(packed, waited, launches), 1) << "in repetition " << k;
  }
}

OP_KERNEL(add_state, (const double* state, double* sum, double* most), {
  *sum += *state;
  *most = *state > *most ? *state : *most;
});

/// Ranks combine what they have found when the value is read, and the host waits for it then.
TEST_F(GraphsOnRanks, LazyReductionsStayOnTheDevicesUntilTheyAreRead) {
  const double zero = 0;
  const op_global sum = op_decl_global(1, &zero, "sum"), most = op_decl_global(1, &zero, "most");
  const auto add = [&] {
    op_par_loop(add_state, "add_state", mesh.cells, op_arg_dat(mesh.state, OP_READ),
                op_arg_gbl(sum, OP_INC), op_arg_gbl(most, OP_MAX));
    op_flush();
  };
  add();
  const long long downloads = emulated_calls("cuMemcpyDtoHAsync_v2");
  for (int k = 0; k < repeats; ++k) add();
  EXPECT_EQ(emulated_calls("cuMemcpyDtoHAsync_v2"), downloads);
  double expected = 0, greatest = 0, found[2] = {};
  for (int cell = 0; cell < cells; ++cell) {
    expected += (repeats + 1) * first_state(cell);
    greatest = std::max(greatest, first_state(cell));
  }
  for (int read = 0; read < 2; ++read) {
    op_fetch_global(sum, &found[0]);
    op_fetch_global(most, &found[1]);
    EXPECT_EQ(found[0], expected * (read + 1));
    EXPECT_EQ(found[1], greatest);
    for (int k = 0; k <= repeats && read == 0; ++k) add();
  }
}

}  // namespace
}  // namespace op2::test
