// SPDX-License-Identifier: BSD-3-Clause
// A small program on an emulated device, for tests that add to it.
#pragma once

#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include <op2/op2.hpp>

#include "emulator.hpp"
#include "ring.hpp"

namespace op2::test {

const double scale = 2;

OP_KERNEL(add_length, (const double* length, double* left, double* right), {
  *left += *length;
  *right += *length;
});
OP_KERNEL(scaled, (double* sum, double* total), {
  *sum *= scale;
  *total += *sum;
});

/// A ring of nodes and edges; every node gets the lengths of its two edges, which are 1.
class OnDevice : public testing::Test, protected Ring {
 protected:
  static constexpr int size = 3000;

  void SetUp() override {
    setenv("OP2_TARGET", "cuda", 1);
    for (const char* name : {"OP2_EMU_MEMORY", "OP2_EMU_FAIL", "OP2_EMU_CAPABILITY", "OP2_GPU_INC"})
      unsetenv(name);
    reset_emulator();
  }
  void TearDown() override {
    try {
      op_exit();
    } catch (const Error&) {  // the test has seen it
    }
    unsetenv("OP2_TARGET");
  }

  /// Runs a program twice. @return how often the second run compiles
  auto compilations_of_second_run() {
    for (int run = 0; run < 2; ++run) {
      reset_emulator();
      start();
      add();
      EXPECT_EQ(total_of_scaled(), 4.0 * size);
      op_exit();
    }
    return emulated_calls("nvrtcCompileProgram");
  }

  void start() {
    op_init(0, nullptr);
    op_decl_const(1, &scale, "scale");
    declare(size);
    length = op_decl_dat(edges, 1, std::vector<double>(size, 1).data(), "length");
    sum = op_decl_dat<double>(nodes, 1, nullptr, "sum");
  }

  void add() {
    op_par_loop(add_length, "add_length", edges, op_arg_dat(length, OP_READ),
                op_arg_dat(sum, 0, ends_of_edge, OP_INC), op_arg_dat(sum, 1, ends_of_edge, OP_INC));
  }
  double total_of_scaled() {
    double total = 0;
    op_par_loop(scaled, "scaled", nodes, op_arg_dat(sum, OP_RW),
                op_arg_gbl(&total, 1, "double", OP_INC));
    op_flush();
    return total;
  }
  std::vector<double> sums() { return values_of(sum); }
  std::vector<double> lengths() { return values_of(length); }

  op_dat length{}, sum{};
};

}  // namespace op2::test
