// SPDX-License-Identifier: BSD-3-Clause
// What a kernel's host function is given.
#include <sched/executor/reference/executor.hpp>

#include <gmock/gmock.h>

#include <op2/kernel.hpp>

#include <sched/analysis/fuse.hpp>
#include <support/small_mesh.hpp>

namespace op2::sched {
namespace {

using testing::ElementsAre;

void number(const int* own, const int* target, int* out) {
  *out = 100 * *own + *target;
}
const TypedKernel number_kernel("number", "", &number, "none.cpp", 1);

/// `number` on edges 0 and 1 with tables of the two index arguments.
std::vector<int> numbers(int* own, int* targets) {
  test::Ring ring(4);
  core::Queue queue;
  core::Dat& out = ring.mesh.add_dat(&ring.edges, 1, Type::i32, nullptr, "out", false);
  test::queue_loop(queue, ring.edges, op_arg_idx(-1, OP_ID), op_arg_idx(1, &ring.ends),
                   op_arg_dat(&out, OP_WRITE));
  const int* const second = ring.ends.map + 1;
  std::vector<int> result(2);
  const core::ArgBinding bindings[] = {
      {own, nullptr, 0}, {targets, second, 2}, {result.data(), nullptr, 0}};
  Step step = step_of(queue, 0);
  step.kernels.front().kernel = number_kernel;
  run_rows(step, nullptr, {0, 2}, bindings);
  return result;
}

TEST(HostLoop, WithoutATableANumberIsTheRow) {
  EXPECT_THAT(numbers(nullptr, nullptr), ElementsAre(1, 102));
}

TEST(HostLoop, ATableSaysUnderWhichNumbersTheKernelKnowsRows) {
  int own[] = {50, 60, 70, 80}, targets[] = {7, 8, 9, 6};
  EXPECT_THAT(numbers(own, targets), ElementsAre(5008, 6009));
}

}  // namespace
}  // namespace op2::sched
