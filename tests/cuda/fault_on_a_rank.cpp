// SPDX-License-Identifier: BSD-3-Clause
// A kernel fails on the device of the last rank, whose program catches the error and does not end
// by itself: the others must not wait for it, wherever the fault comes to light.
// usage: fault_on_a_rank (with OP2_CHECK=finite, or with OP2_HASH)
#include <chrono>
#include <thread>
#include <vector>

#include <op2/op2.hpp>

namespace {

OP_KERNEL(write_beyond, (double* state), {
  if (*state > 100) state[1000000 + static_cast<int>(*state)] = 1;
  *state += 1;
});

}  // namespace

int main() {
  op_init(0, nullptr);
  const op_set cells = op_decl_set(100, "cells");
  std::vector<double> values(100, op_rank() + 1 == op_ranks() ? 1000 : 0);
  const op_dat state = op_decl_dat(cells, 1, "double", values.data(), "state");
  try {
    op_par_loop(write_beyond, "write_beyond", cells, op_arg_dat(state, OP_RW));
    op_fetch_data(state, values.data());
  } catch (const op2::Error&) {
    std::this_thread::sleep_for(std::chrono::minutes(1));
  }
  op_exit();
}
