// SPDX-License-Identifier: BSD-3-Clause
// Lazy globals that several loops of a chain reduce: the device keeps them, and nobody waits.
#include <algorithm>
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>

#include "ring_on_device.hpp"

namespace op2::test {
namespace {

OP_KERNEL(least_of, (const double* sum, double* least), {
  if (*sum < *least) *least = *sum;
});
/// The compiler for devices refuses it.
OP_KERNEL(allocate, (double* sum, double* total), {
  double* const copy = new double(*sum);
  *sum = 2 * *copy;
  *total += *sum;
  delete copy;
});
OP_KERNEL(add_value, (const double* value, double* length), { *length += *value; });
/// Likewise.
OP_KERNEL(allocate_to_add, (const double* value, double* length), {
  double* const copy = new double(*value);
  *length += *copy;
  delete copy;
});
OP_KERNEL(shrink, (double* length), { *length *= 0.5; });

/// In each order in which a device may work.
class LazyGlobals : public OnDevice, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    setenv("OP2_EMU_ORDER", GetParam(), 1);
    OnDevice::SetUp();
    start();
  }
  void TearDown() override {
    OnDevice::TearDown();
    EXPECT_EQ(emulated_findings(), "");
    unsetenv("OP2_EMU_ORDER");
  }

  void add_scaled_to(op_global total) {
    op_par_loop(scaled, "scaled", nodes, op_arg_dat(sum, OP_RW), op_arg_gbl(total, OP_INC));
  }
  void find_least(op_dat of, op_set set, op_global least) {
    op_par_loop(least_of, "least_of", set, op_arg_dat(of, OP_READ), op_arg_gbl(least, OP_MIN));
  }
  /// Adds 2 for each node.
  void set_and_reduce(op_global total, double start) {
    op_set_global(total, &start);
    op_par_loop(add_value, "add_sum", nodes, op_arg_dat(sum, OP_READ), op_arg_gbl(total, OP_INC));
    op_flush();
  }
  static double value_of(op_global global) {
    double value = 0;
    op_fetch_global(global, &value);
    return value;
  }
};

/// The first time kernel by kernel, then as a graph.
TEST_P(LazyGlobals, LoopsThatAddToTheSameOneAreNotWaitedFor) {
  const double one = 1;
  const op_global total = op_decl_global(1, &one, "total");
  double each = 0, expected = one;
  for (int chain = 0; chain < 4; ++chain) {
    for (int half = 0; half < 2; ++half) {
      add();
      add_scaled_to(total);
      each = 2 * (each + 2);
      expected += each * size;
    }
    op_flush();
  }
  EXPECT_EQ(emulated_calls("cuMemcpyDtoHAsync_v2"), 0);
  EXPECT_EQ(value_of(total), expected);
}

/// Its loop sees what the one before has found: the graph has no other reason for an order.
TEST_P(LazyGlobals, AMinimumIsThatOfAllLoops) {
  const double many = 100;
  const op_global least = op_decl_global(1, &many, "least");
  for (double expected = 0.5; expected > 0.01; expected /= 2) {
    op_par_loop(shrink, "shrink", edges, op_arg_dat(length, OP_RW));
    find_least(length, edges, least);
    find_least(length, edges, least);
    op_flush();
    EXPECT_EQ(value_of(least), expected);
  }
}

TEST_P(LazyGlobals, OneThatIsSetBetweenLoopsHasWhatCameAfter) {
  const double zero = 0;
  const op_global total = op_decl_global(1, &zero, "total");
  double each = 0;
  for (int chain = 0; chain < 4; ++chain) {
    double expected = 0;
    for (int half = 0; half < 4; ++half) {
      if (half == 2) op_set_global(total, &zero);
      add();
      add_scaled_to(total);
      each = 2 * (each + 2);
      if (half >= 2) expected += each * size;
    }
    op_flush();
    EXPECT_EQ(emulated_calls("cuMemcpyDtoHAsync_v2"), chain);
    EXPECT_EQ(value_of(total), expected);
    op_set_global(total, &zero);
  }
}

/// The loop that reads sees the value of before, on the device and on the host.
TEST_P(LazyGlobals, OneThatIsReadThenSetAndReducedHasBothValues) {
  for (const op_kernel reader : {op_kernel(add_value), op_kernel(allocate_to_add)}) {
    double value = 0, expected = 1;
    const op_global total = op_decl_global(1, &value, "total");
    const op_dat seen = op_decl_dat(edges, 1, std::vector<double>(size, 1).data(), "seen");
    if (reader == op_kernel(add_value)) add();
    for (int chain = 0; chain < 4; ++chain) {
      op_par_loop(reader, "reads", edges, op_arg_gbl(total, OP_READ), op_arg_dat(seen, OP_RW));
      set_and_reduce(total, chain);
      expected += value;
      value = chain + 2 * size;
    }
    EXPECT_THAT(values_of(seen), testing::Each(expected));
    EXPECT_EQ(value_of(total), value);
  }
}

/// The device is many calls behind: values wait in memory that the host uses again.
TEST_P(LazyGlobals, ValuesThatLoopsReadAreThoseOfTheirCalls) {
  setenv("OP2_DEBUG", "queue_max=1", 1);
  op_exit();
  reset_emulator();
  start();
  unsetenv("OP2_DEBUG");
  double expected = 1;
  for (int call = 0; call < 60; ++call) {
    const double value = call;
    op_par_loop(add_value, "add_value", edges, op_arg_gbl(&value, 1, "double", OP_READ),
                op_arg_dat(length, OP_RW));
    expected += value;
  }
  EXPECT_THAT(lengths(), testing::Each(expected));
}

/// The host's results are added to the value by the host.
TEST_P(LazyGlobals, OneThatTheHostReducesTooHasAllResults) {
  const double zero = 0;
  const op_global total = op_decl_global(1, &zero, "total");
  double each = 0, expected = 0;
  for (int chain = 0; chain < 3; ++chain) {
    for (int loop = 0; loop < 3; ++loop) {
      add();
      if (loop == 1)
        op_par_loop(allocate, "allocate", nodes, op_arg_dat(sum, OP_RW), op_arg_gbl(total, OP_INC));
      else
        add_scaled_to(total);
      each = 2 * (each + 2);
      expected += each * size;
    }
    op_flush();
    EXPECT_EQ(value_of(total), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(InAllOrders, LazyGlobals,
                         testing::Values("lazy", "eager", "others", "reversed", "random:1"),
                         [](const auto& order) {
                           std::string name = order.param;
                           std::ranges::replace(name, ':', '_');
                           return name;
                         });

}  // namespace
}  // namespace op2::test
