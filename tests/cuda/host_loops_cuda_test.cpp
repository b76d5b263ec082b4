// SPDX-License-Identifier: BSD-3-Clause
// Loops that the host runs although the target is a device.
#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include <op2/compat/op2_functions.h>
#include <op2/op2.hpp>

#include <support/stderr_capture.hpp>

#include "ring_on_device.hpp"

namespace op2::test {
namespace {

using testing::Each;

OP_KERNEL(last_of, (const double* sum, double* last), { *last = *sum; });
OP_KERNEL(ask_neighbour, (const double* right, double* left), { *left = *right + 1; });
OP_KERNEL(copy_neighbour, (const double* right, double* left), { *left = *right; });

OP_KERNEL(spread, (const double* a, const double* b, double* left, double* right), {
  *left += *b;
  *right += *a;
});
OP_KERNEL(absorb, (double* sum, double* state), {
  *state += *sum;
  *sum = 0;
});
OP_KERNEL(allocate, (const double* state, double* total), {
  double* copy = new double(*state);
  *total += *copy;
  delete copy;
});

namespace other {
OP_KERNEL(allocate, (const double* state, double* total), {
  double* copy = new double(*state);
  *total -= *copy;
  delete copy;
});
}  // namespace other

/// The host finds the rows that half a step has changed where they were.
TEST_F(OnDevice, ALoopThatTheCompilerRefusesRunsOnTheHostOfAPlanThatMovesNoRows) {
  setenv("OP2_GPU_INC", "pull", 1);
  start();
  const op_dat state = op_decl_dat(nodes, 1, std::vector<double>(size, 1).data(), "state");
  for (double expected = 3; expected < 100; expected *= 3) {
    double total = 0;
    op_par_loop(spread, "spread", edges, op_arg_dat(state, 0, ends_of_edge, OP_READ),
                op_arg_dat(state, 1, ends_of_edge, OP_READ),
                op_arg_dat(sum, 0, ends_of_edge, OP_INC), op_arg_dat(sum, 1, ends_of_edge, OP_INC));
    op_par_loop(absorb, "absorb", nodes, op_arg_dat(sum, OP_RW), op_arg_dat(state, OP_RW));
    op_par_loop(allocate, "allocate", nodes, op_arg_dat(state, OP_READ),
                op_arg_gbl(&total, 1, "double", OP_INC));
    op_flush();
    EXPECT_EQ(total, expected * size);
  }
}

TEST_F(OnDevice, ALoopInOrderRunsOnTheHostBetweenOthers) {
  start();
  add();
  op_par_loop(ask_neighbour, "ask_neighbour", edges, op_arg_dat(sum, 1, ends_of_edge, OP_READ),
              op_arg_dat(sum, 0, ends_of_edge, OP_RW));
  add();
  std::vector<double> expected(size, 5);
  expected.back() = 6;  // its neighbour had changed before
  EXPECT_EQ(sums(), expected);
}

TEST_F(OnDevice, AGlobalThatAnElementSetsIsThatOfTheLast) {
  start();
  add();
  double last = 0;
  op_par_loop(last_of, "last_of", nodes, op_arg_dat(sum, OP_READ),
              op_arg_gbl(&last, 1, "double", OP_WRITE));
  op_flush();
  EXPECT_EQ(last, 2);
}

/// How many lines of a log name a loop that the host runs, for this reason.
int times_said(const std::string& log, const std::string& loop, const std::string& reason) {
  std::istringstream lines(log);
  int times = 0;
  for (std::string line; std::getline(lines, line);)
    if (line.find("loop '" + loop + "' (") != line.npos &&
        line.find(" of the host" + reason) != line.npos)
      ++times;
  return times;
}

#if OP2_HAVE_LLVM
/// Each time they are in other plans.
TEST_F(OnDevice, LoopsOfTheHostAreNamedOnce) {
  start();
  StderrCapture log;
  for (int k = 0; k < 3; ++k) {
    double last = 0;
    for (int n = 0; n < k; ++n) add();
    op_par_loop(last_of, "last_of", nodes, op_arg_dat(sum, OP_READ),
                op_arg_gbl(&last, 1, "double", OP_WRITE));
    for (int n = 0; n < k; ++n) add();
    op_par_loop(ask_neighbour, "ask_neighbour", edges, op_arg_dat(sum, 1, ends_of_edge, OP_READ),
                op_arg_dat(sum, 0, ends_of_edge, OP_RW));
    op_flush();
  }
  const std::string text = log.news();
  EXPECT_EQ(times_said(text, "last_of",
                       ": an element sets a global; data are copied from the device and back"),
            1)
      << text;
  EXPECT_EQ(times_said(text, "ask_neighbour", ": the order of its elements matters; data"), 1)
      << text;
}

TEST_F(OnDevice, EachOfTheLoopsOfOneNameIsNamed) {
  start();
  StderrCapture log;
  const op_arg right = op_arg_dat(sum, 1, ends_of_edge, OP_READ),
               left = op_arg_dat(sum, 0, ends_of_edge, OP_RW);
  for (int k = 0; k < 2; ++k) {
    op_par_loop(ask_neighbour, "update", edges, right, left);
    op_flush();
    op_par_loop(copy_neighbour, "update", edges, right, left);
    op_flush();
  }
  const std::string text = log.news();
  EXPECT_EQ(times_said(text, "update", ": the order"), 2) << text;
}

#endif

void halve(double* sum) {
  *sum /= 2;
}

TEST_F(OnDevice, AKernelWithoutSourceRunsOnTheHostInTheMiddleOfAPlan) {
  const TypedKernel<double*> halves("halve", "", halve, __FILE__, __LINE__);
  start();
  StderrCapture log;
  const std::int64_t chains = op_get_chain_statistics().chains;
  for (double expected : {3.0, 4.5, 5.25}) {
    add();
    op_par_loop(halves, "halve", nodes, op_arg_dat(sum, OP_RW));
    add();
    EXPECT_THAT(sums(), Each(expected));
  }
  EXPECT_EQ(op_get_chain_statistics().chains - chains, 3);
  const std::string text = log.news();
  EXPECT_EQ(times_said(text, "halve", "; data are copied"), 1) << text;
}

/// Calls a function with pointers of its parameter types.
template <class... P>
void call_function(void (*function)(), char* const* arguments) {
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    reinterpret_cast<void (*)(P*...)>(function)(reinterpret_cast<P*>(arguments[k])...);
  }(std::index_sequence_for<P...>());
}

/// A loop of a program for OP2's headers whose sources are not embedded.
template <class... P, std::same_as<compat::arg>... Args>
void run_function(void (*kernel)(P*...), const char* name, op_set set, const Args&... args) {
  const compat::arg* const list[] = {&args...};
  const compat::function function{reinterpret_cast<void (*)()>(kernel), call_function<P...>,
                                  sizeof...(P)};
  compat::par_loop(function, name, __FILE__, __LINE__, set, list, sizeof...(Args));
}

/// Of a type that the library does not know.
struct Neighbours {
  double below, above;
};
void find_neighbours(const double* number, Neighbours* around) {
  *around = {*number - 1, *number + 1};
}
void use_neighbours(const Neighbours* around, double* number) {
  *number = around->below + 2 * around->above;
}

TEST_F(OnDevice, OpaqueRowsAreUsedOnTheHostBetweenLoopsOfTheDevice) {
  start();
  StderrCapture log;
  const op_dat around =
      compat::op_decl_dat_temp_char(nodes, 1, "neighbours", sizeof(Neighbours), "around");
  const auto argument = [](op_dat dat, const char* type, int access) {
    return compat::op_arg_dat(dat, -1, OP_ID, 1, type, access);
  };
  for (double expected : {9, 36, 117}) {
    add();
    run_function(find_neighbours, "find_neighbours", nodes, argument(sum, "double", OP_READ),
                 argument(around, "neighbours", OP_WRITE));
    add();
    run_function(use_neighbours, "use_neighbours", nodes, argument(around, "neighbours", OP_READ),
                 argument(sum, "double", OP_WRITE));
    add();
    EXPECT_THAT(sums(), Each(expected));
  }
  EXPECT_EQ(emulated_calls("cuLaunchKernel") + emulated_calls("cuGraphLaunch"), 9);
  const std::string text = log.news();
  for (const char* loop : {"find_neighbours", "use_neighbours"})
    EXPECT_EQ(times_said(text, loop, ": its source is not embedded in the program; data"), 1)
        << text;
}

/// Both are refused by the device's compiler, and are different functions.
TEST_F(OnDevice, EachOfTheKernelsOfOneNameThatAreRefusedIsNamed) {
  start();
  StderrCapture log;
  double total = 0;
  for (int k = 0; k < 2; ++k) {
    for (const op_kernel kernel : {op_kernel(allocate), op_kernel(other::allocate)})
      op_par_loop(kernel, "allocate", nodes, op_arg_dat(sum, OP_READ),
                  op_arg_gbl(&total, 1, "double", OP_INC));
    add();
  }
  op_flush();
  EXPECT_EQ(total, (0 - 0 + 2 - 2) * size);
  const std::string text = log.news();
  const std::string warning = "kernel 'allocate' runs as a host function";
  const auto first = text.find(warning), second = text.find(warning, first + 1);
  EXPECT_NE(second, text.npos) << text;
  EXPECT_EQ(text.find(warning, second + 1), text.npos) << text;
}

}  // namespace
}  // namespace op2::test
