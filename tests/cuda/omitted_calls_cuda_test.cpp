// SPDX-License-Identifier: BSD-3-Clause
// Planted mistakes: each call that the library makes for a copy, a kernel or a wait is left out in
// turn. The emulated device finds it, or the results are wrong; a wait may have had nothing to wait
// for.
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <op2/op2.hpp>

#include "emulator.hpp"

namespace op2::test {
namespace {

const double factor = 2;

OP_KERNEL(gather_flux, (const double* left, const double* right, double* to_left, double* to_right),
          {
            const double flux = *right - *left + factor;
            *to_left += flux;
            *to_right -= 2 * flux;
          });
OP_KERNEL(advance, (double* residual, double* state, double* total), {
  *state += *residual;
  *total += *state;
  *residual = 1;
});
OP_KERNEL(relax, (const double* sum, double* state, double* next), {
  *state += *sum / 1024;
  *next += *state / 512;
});

/// A ring of nodes whose states change in four steps; between them the host changes a constant and
/// looks at the states. Two globals that loops add to in turn stay on the device from step to step.
/// @return  all that it has seen
std::vector<double> run_program() {
  constexpr int size = 600;
  op_init(0, nullptr);
  op_decl_const(1, &factor, "factor");
  op_set nodes = op_decl_set(size, "nodes"), edges = op_decl_set(size, "edges");
  std::vector<int> ends;
  for (int edge = 0; edge < size; ++edge) ends.insert(ends.end(), {edge, (edge + 7) % size});
  op_map ends_of_edge = op_decl_map(edges, nodes, 2, ends.data(), "ends_of_edge");
  std::vector<double> states(size), seen;
  for (int node = 0; node < size; ++node) states[node] = node % 13;
  op_dat state = op_decl_dat(nodes, 1, states.data(), "state");
  op_dat residual = op_decl_dat<double>(nodes, 1, nullptr, "residual");
  const double start = 3;
  const op_global sum = op_decl_global(1, &start, "sum"), next = op_decl_global(1, &start, "next");
  for (int step = 0; step < 4; ++step) {
    double total = step;
    op_par_loop(gather_flux, "gather_flux", edges, op_arg_dat(state, 0, ends_of_edge, OP_READ),
                op_arg_dat(state, 1, ends_of_edge, OP_READ),
                op_arg_dat(residual, 0, ends_of_edge, OP_INC),
                op_arg_dat(residual, 1, ends_of_edge, OP_INC));
    op_par_loop(advance, "advance", nodes, op_arg_dat(residual, OP_RW), op_arg_dat(state, OP_RW),
                op_arg_gbl(&total, 1, "double", OP_INC));
    for (int k = 0; k < 4; ++k)
      op_par_loop(relax, "relax", nodes, op_arg_gbl(k % 2 == 0 ? sum : next, OP_READ),
                  op_arg_dat(state, OP_RW), op_arg_gbl(k % 2 == 0 ? next : sum, OP_INC));
    op_flush();
    seen.push_back(total);
    const double other = factor + step;
    op_decl_const(1, &other, "factor");
    if (step % 2 == 0) continue;
    op_fetch_data(state, states.data());
    seen.insert(seen.end(), states.begin(), states.end());
  }
  for (const op_global global : {sum, next}) op_fetch_global(global, &seen.emplace_back());
  op_exit();
  return seen;
}

/// Whether the program ends with an error, or with other results, or the emulator finds a mistake,
/// without a call. @param omitted
/// "function:k"
bool is_noticed(const std::string& omitted, const std::vector<double>& expected) {
  bool noticed = false;
  for (const char* order : {"eager", "lazy", "others"}) {
    setenv("OP2_EMU_OMIT", omitted.c_str(), 1);
    setenv("OP2_EMU_ORDER", order, 1);
    reset_emulator();
    try {
      noticed = noticed || run_program() != expected || !emulated_findings().empty();
    } catch (const Error&) {
      noticed = true;
      try {
        op_exit();
      } catch (const Error&) {  // what failed before has failed again
      }
    }
  }
  return noticed;
}

struct Omissions {
  std::int64_t tried = 0, noticed = 0;
};

Omissions leave_out(const std::string& function) {
  setenv("OP2_TARGET", "cuda", 1);
  for (const char* name : {"OP2_EMU_OMIT", "OP2_EMU_ORDER"}) unsetenv(name);
  reset_emulator();
  const auto expected = run_program();
  Omissions all{emulated_calls(function.c_str()), 0};
  for (std::int64_t k = 1; k <= all.tried; ++k) {
    const bool noticed = is_noticed(function + ":" + std::to_string(k), expected);
    if (noticed) ++all.noticed;
    if (!noticed) std::cout << "nobody notices that " << function << ' ' << k << " is left out\n";
  }
  std::cout << function << ": " << all.noticed << " of " << all.tried << " are noticed\n";
  return all;
}

struct OmittedWork : ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Functions, OmittedWork,
                         ::testing::Values("cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2",
                                           "cuMemcpyDtoDAsync_v2", "cuLaunchKernel",
                                           "cuGraphLaunch"));

TEST_P(OmittedWork, IsNoticed) {
  const Omissions all = leave_out(GetParam());
  EXPECT_GT(all.tried, 0);
  EXPECT_EQ(all.noticed, all.tried);
}

/// Of the calls of a function, how many are noticed: the others had nothing to wait for, or came
/// before another wait.
struct Waits {
  const char* function;
  std::int64_t noticed;
};
struct OmittedWaits : ::testing::TestWithParam<Waits> {};
INSTANTIATE_TEST_SUITE_P(Functions, OmittedWaits,
                         ::testing::Values(Waits{"cuEventRecord", 8},
                                           Waits{"cuStreamSynchronize", 3},
                                           Waits{"cuEventSynchronize", 8}));

TEST_P(OmittedWaits, AreNoticedIfTheyWaitForSomething) {
  EXPECT_EQ(leave_out(GetParam().function).noticed, GetParam().noticed);
}

}  // namespace
}  // namespace op2::test
