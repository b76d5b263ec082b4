// SPDX-License-Identifier: BSD-3-Clause
// OP2_REPRODUCIBLE=on with OP2_TARGET=cuda: the bits of a CPU, and which loops the host runs for
// them.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <op2/op2.hpp>

#include <support/stderr_capture.hpp>

#include "emulator.hpp"

namespace op2::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

OP_KERNEL(spread, (const double* x, double* left, double* right), {
  left[0] += *x / 3;
  right[0] -= *x * *x + 0.1;
  left[1] += -0.0;
  right[1] += -0.0;
});
OP_KERNEL(spread_in_one, (const double* x, double* left, double* same, double* right), {
  left[0] += *x / 3;
  same[0] += *x / 7;
  right[1] += *x;
});
OP_KERNEL(measure, (const double* x, double* sum, float* rounded, double* least, double* most), {
  *sum += x[0] * x[1];
  *rounded += static_cast<float>(x[0]);
  if (x[0] < *least) *least = x[0];
  if (x[0] > *most) *most = x[0];
});
OP_KERNEL(add_term, (const double* x, double* sum), { *sum += *x; });
OP_KERNEL(extremes, (const double* x, double* least, double* most), {
  *least = *least < *x ? *least : *x;
  *most = *most > *x ? *most : *x;
});
OP_KERNEL(first_extremes,
          (const double* x, const int* number, double* least, int* of_least, double* most,
           int* of_most),
          {
            if (*x < *least) {
              *least = *x;
              *of_least = *number;
            }
            if (*x > *most) {
              *most = *x;
              *of_most = *number;
            }
          });
OP_KERNEL(grow, (double* x), { *x = std::exp(*x / 1000); });
OP_KERNEL(widen, (double* x), {
  long double y = *x;
  *x = y / 3;
});
OP_KERNEL(relax, (double* left, double* right), {
  const double mean = (*left + *right) / 3;
  *left = mean;
  *right = mean + 0.1;
});
OP_KERNEL(add_many, (const double* x, double* sum), {
  for (int k = 0; k < 200; ++k) sum[k] += *x * k;
});

/// A ring of nodes and edges, which are declared in another order than that of their nodes.
class SameBits : public testing::Test {
 protected:
  static constexpr int size = 3000;

  void start(const char* target) {
    setenv("OP2_REPRODUCIBLE", "on", 1);
    setenv("OP2_TARGET", target, 1);
    reset_emulator();
    op_init(0, nullptr, 1);
    nodes = op_decl_set(size, "nodes");
    edges = op_decl_set(size, "edges");
    std::vector<int> ends;
    std::vector<double> lengths;
    for (int edge = 0; edge < size; ++edge) {
      const int left = static_cast<int>(7919L * edge % size);
      ends.insert(ends.end(), {left, (left + 1) % size});
      lengths.push_back(std::ldexp(1.0 + 0.1 * edge, edge % 41 - 20));
    }
    ends_of_edge = op_decl_map(edges, nodes, 2, ends.data(), "ends_of_edge");
    length = op_decl_dat(edges, 1, lengths.data(), "length");
    sum = op_decl_dat(nodes, 2, std::vector<double>(2 * size, -0.0).data(), "sum");
  }
  void TearDown() override {
    op_exit();
    for (const char* name : {"OP2_REPRODUCIBLE", "OP2_TARGET", "OP2_CHECK"}) unsetenv(name);
  }

  template <class T>
  std::vector<T> values_of(op_dat dat, int dim) {
    std::vector<T> values(static_cast<std::size_t>(dim) * dat->set->size);
    op_fetch_data(dat, values.data());
    return values;
  }

  /// Everything that a program of all kinds of sums computes, as bytes.
  std::string bytes_of_program() {
    std::string bytes;
    const auto add = [&](const void* data, std::size_t count) {
      bytes.append(static_cast<const char*>(data), count);
    };
    for (int repeat = 0; repeat < 3; ++repeat) {
      op_par_loop(spread, "spread", edges, op_arg_dat(length, OP_READ),
                  op_arg_dat(sum, 0, ends_of_edge, OP_INC),
                  op_arg_dat(sum, 1, ends_of_edge, OP_INC));
      op_par_loop(spread_in_one, "spread_in_one", edges, op_arg_dat(length, OP_READ),
                  op_arg_dat(sum, 0, ends_of_edge, OP_INC),
                  op_arg_dat(sum, 0, ends_of_edge, OP_INC),
                  op_arg_dat(sum, 1, ends_of_edge, OP_INC));
      double total = 0.1, least = 1, most = 1;
      float rounded = 0.1F;
      op_par_loop(measure, "measure", nodes, op_arg_dat(sum, OP_READ),
                  op_arg_gbl(&total, 1, "double", OP_INC), op_arg_gbl(&rounded, 1, "float", OP_INC),
                  op_arg_gbl(&least, 1, "double", OP_MIN), op_arg_gbl(&most, 1, "double", OP_MAX));
      op_flush();
      for (const double* value : {&total, &least, &most}) add(value, sizeof *value);
      add(&rounded, sizeof rounded);
    }
    const std::vector<double> sums = values_of<double>(sum, 2);
    add(sums.data(), sums.size() * sizeof(double));
    return bytes;
  }

  op_set nodes{}, edges{};
  op_map ends_of_edge{};
  op_dat length{}, sum{};
};

TEST_F(SameBits, ADeviceGivesThoseOfTheCpu) {
  start("cpu");
  const std::string expected = bytes_of_program();
  op_exit();
  start("cuda");
  EXPECT_EQ(bytes_of_program(), expected);
  EXPECT_GT(emulated_calls("cuLaunchKernel"), 0);
  EXPECT_GT(emulated_calls("cuGraphLaunch"), 0);
}

TEST_F(SameBits, AZeroToWhichNothingIsAddedKeepsItsSign) {
  start("cuda");
  op_par_loop(spread, "spread", edges, op_arg_dat(length, OP_READ),
              op_arg_dat(sum, 0, ends_of_edge, OP_INC), op_arg_dat(sum, 1, ends_of_edge, OP_INC));
  EXPECT_TRUE(std::signbit(values_of<double>(sum, 2)[1]));
}

TEST_F(SameBits, KernelsMayHaveLongNames) {
  const std::string name(110, 'k');
  const std::string source =
      "void " + name + "(const double* x, double* sum, double* all) { *sum += *x; *all += *x; }";
  std::vector<std::vector<double>> found;
  for (const char* target : {"cpu", "cuda"}) {
    start(target);
    double total = 0;
    op_par_loop(op_decl_kernel(name.c_str(), source.c_str()), name.c_str(), edges,
                op_arg_dat(length, OP_READ), op_arg_dat(sum, 1, ends_of_edge, OP_INC),
                op_arg_gbl(&total, 1, "double", OP_INC));
    op_flush();
    found.push_back(values_of<double>(sum, 2));
    found.back().push_back(total);
    if (target[1] == 'p') op_exit();
  }
  EXPECT_EQ(found[0], found[1]);
  EXPECT_GT(emulated_calls("cuLaunchKernel"), 0);
}

/// What is not finite, the largest and the least numbers, and both zeros.
TEST_F(SameBits, SumsAndExtremesOfAllNumbersAreThoseOfTheCpu) {
  using Limits = std::numeric_limits<double>;
  const std::vector<std::vector<double>> cases = {
      {1e300, 1e-300, -1e300, Limits::denorm_min()},
      {Limits::max(), Limits::max(), -Limits::max(), -Limits::max(), Limits::min()},
      {Limits::infinity(), 1},
      {Limits::infinity(), -Limits::infinity()},
      {-Limits::infinity(), 1e308},
      {Limits::quiet_NaN(), 1},
      {1, 2, -Limits::quiet_NaN(), 3},
      {0.0, -0.0},
      {-0.0, 0.0},
      {Limits::max(), Limits::max()}};
  std::vector<std::vector<double>> found;
  for (const char* target : {"cpu", "cuda"}) {
    std::vector<double>& values = found.emplace_back();
    for (const std::vector<double>& numbers : cases) {
      start(target);
      std::vector<double> all;
      while (all.size() < size) all.insert(all.end(), numbers.begin(), numbers.end());
      all.resize(size);
      const op_dat x = op_decl_dat(nodes, 1, all.data(), "x");
      double total = -0.0, least = Limits::infinity(), most = -Limits::infinity();
      op_par_loop(add_term, "add_term", nodes, op_arg_dat(x, OP_READ),
                  op_arg_gbl(&total, 1, "double", OP_INC));
      op_par_loop(extremes, "extremes", nodes, op_arg_dat(x, OP_READ),
                  op_arg_gbl(&least, 1, "double", OP_MIN), op_arg_gbl(&most, 1, "double", OP_MAX));
      op_flush();
      values.insert(values.end(), {total, least, most});
      if (numbers != cases.back() || target[1] == 'p') op_exit();
    }
  }
  for (std::size_t k = 0; k < found[0].size(); ++k) {
    const double cpu = found[0][k], device = found[1][k];
    EXPECT_EQ(std::bit_cast<std::uint64_t>(cpu), std::bit_cast<std::uint64_t>(device))
        << "value " << k % 3 << " of case " << k / 3 << ": " << cpu << ", " << device;
  }
}

/// Of payloads, too: -0 is less than 0, on one thread of a device and over all blocks.
TEST_F(SameBits, ZerosOfBothSignsAreThoseOfTheirElements) {
  for (const char* target : {"cpu", "cuda"}) {
    start(target);
    std::vector<double> zeros(size, 0.0);
    for (const std::size_t k : {261U, 1111U, 2000U}) zeros[k] = -0.0;
    const op_dat x = op_decl_dat(nodes, 1, zeros.data(), "x");
    double least = 1, most = -1;
    int of_least = -1, of_most = -1;
    op_par_loop(first_extremes, "first_extremes", nodes, op_arg_dat(x, OP_READ),
                op_arg_idx(-1, OP_ID), op_arg_gbl(&least, 1, "double", OP_MIN),
                op_arg_info(&of_least, 1, "int", 2), op_arg_gbl(&most, 1, "double", OP_MAX),
                op_arg_info(&of_most, 1, "int", 4));
    EXPECT_TRUE(std::signbit(least) && of_least == 261) << target << ": " << of_least;
    EXPECT_TRUE(!std::signbit(most) && of_most == 0) << target << ": " << of_most;
    if (target[1] == 'p') op_exit();
  }
}

TEST_F(SameBits, LoopsWhoseBitsWouldBeOthersRunOnTheHostAndAreNamedOnce) {
  std::vector<std::vector<double>> found;
  std::string log;
  for (const char* target : {"cpu", "cuda"}) {
    start(target);
    const op_dat x = op_decl_dat(nodes, 1, std::vector<double>(size, 0.7).data(), "x");
    std::vector<double> many(200, 0.25);
    StderrCapture capture;
    for (int repeat = 0; repeat < 2; ++repeat) {
      op_par_loop(grow, "grow", nodes, op_arg_dat(x, OP_RW));
      op_par_loop(widen, "widen", nodes, op_arg_dat(x, OP_RW));
      op_par_loop(relax, "relax", edges, op_arg_dat(x, 0, ends_of_edge, OP_RW),
                  op_arg_dat(x, 1, ends_of_edge, OP_RW));
      op_par_loop(add_many, "add_many", nodes, op_arg_dat(x, OP_READ),
                  op_arg_gbl(many.data(), 200, "double", OP_INC));
      op_flush();
    }
    found.push_back(values_of<double>(x, 1));
    found.push_back(many);
    log = capture.news();
    if (target[1] == 'p') op_exit();
  }
  EXPECT_EQ(found[0], found[2]);
  EXPECT_EQ(found[1], found[3]);
  for (const char* words : {"loop 'grow' (", "runs on the host: it calls 'exp'", "loop 'widen' (",
                            "runs on the host: it computes with long double", "loop 'relax' (",
                            "runs on the host: its elements use rows that others modify",
                            "loop 'add_many' (", "its sums have too many components"}) {
    const std::size_t first = log.find(words);
    EXPECT_NE(first, log.npos) << words << " in " << log;
    EXPECT_EQ(log.find(words, first + 1), log.npos) << words << " in " << log;
  }
}

TEST_F(SameBits, EachFlushCanBeComparedWithTheCpu) {
  setenv("OP2_CHECK", "bits", 1);
  start("cuda");
  const std::string compared = bytes_of_program();
  EXPECT_GT(emulated_calls("cuLaunchKernel"), 0);
  op_exit();
  unsetenv("OP2_CHECK");
  start("cuda");
  EXPECT_EQ(bytes_of_program(), compared);
}

}  // namespace
}  // namespace op2::test
