// SPDX-License-Identifier: BSD-3-Clause
// Rows that gather increments have the bits of a sequential loop: random meshes and values whose
// sums are rounded. Each program is run by the reference executor and on a device.
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <equivalence/random_mesh.hpp>
#include <op2/op2.hpp>

#include "emulator.hpp"

namespace op2::test {
namespace {

OP_KERNEL(exchange,
          (const double* weight, const double* a, const double* b, double* left, double* right), {
            for (int n = 0; n < 2; ++n) {
              const double flow = *weight * (a[n] - b[n]);
              left[n] += flow * b[n];
              right[n] -= flow * a[n];
            }
          });
OP_KERNEL(share_in_three,
          (const double* weight, const double* a, double* first, double* second, double* third), {
            for (int n = 0; n < 2; ++n) {
              first[n] += *weight * a[n];
              second[n] += *weight * 1.1 * a[n];
              third[n] -= *weight * 0.7 * a[n];
            }
          });
OP_KERNEL(share_in_four,
          (const double* weight, double* first, double* second, double* third, double* fourth), {
            for (int n = 0; n < 2; ++n) {
              first[n] += *weight * 0.9;
              second[n] += *weight * 1.3;
              third[n] -= *weight * 0.6;
              fourth[n] += *weight * *weight;
            }
          });
OP_KERNEL(use_sums, (double* sum, double* state), {
  for (int n = 0; n < 2; ++n) {
    state[n] = 0.5 * state[n] + 0.0625 * sum[n];
    sum[n] = 0;
  }
});

using Values = std::vector<std::uint64_t>;  ///< the bits of doubles

/// All bits of its fraction are random.
double any_value(Random& random) {
  const double fraction = std::ldexp(static_cast<double>(random() >> 11), -53);
  return std::ldexp(chance(random, 50) ? fraction : -fraction, pick(random, -4, 4));
}

op_dat declare_values(Random& random, op_set set, int dim, const char* name) {
  std::vector<double> values(static_cast<std::size_t>(size_of(set) * dim));
  for (double& value : values) value = any_value(random);
  return op_decl_dat(set, dim, values.data(), name);
}

void fetch(op_dat dat, Values& all) {
  std::vector<double> values(static_cast<std::size_t>(size_of(dat->set) * dat->dim));
  op_fetch_data(dat, values.data());
  for (const double value : values) all.push_back(std::bit_cast<std::uint64_t>(value));
}

/// Elements that add to nodes, to some of them twice.
struct Adders {
  op_set set;
  op_map ends;
  op_dat weight;

  Adders(Random& random, op_set nodes, int arity, bool near, const char* name) {
    set = op_decl_set(pick(random, 20, 1200), name);
    const auto targets = random_targets(random, size_of(set), arity, size_of(nodes), near);
    ends = op_decl_map(set, nodes, arity, targets.data(), fmt::format("{}_ends", name).c_str());
    weight = declare_values(random, set, 1, fmt::format("{}_weight", name).c_str());
  }
};

void add(const Adders& from, op_dat state, op_dat sum) {
  const auto end = [&](int k) { return op_arg_dat(sum, k, from.ends, OP_INC); };
  const auto read = [&](int k) { return op_arg_dat(state, k, from.ends, OP_READ); };
  const op_arg weight = op_arg_dat(from.weight, OP_READ);
  if (from.ends->dim == 2)
    op_par_loop(exchange, "exchange", from.set, weight, read(0), read(1), end(0), end(1));
  else if (from.ends->dim == 3)
    op_par_loop(share_in_three, "share_in_three", from.set, weight, read(1), end(2), end(0),
                end(1));
  else
    op_par_loop(share_in_four, "share_in_four", from.set, weight, end(0), end(3), end(1), end(2));
}

/// Elements of one to three sets add in turn; then nodes use the sums, or the program looks at
/// them.
/// @return all that the program has fetched
Values run(std::uint64_t seed) {
  op_init(0, nullptr);
  Random random(seed);
  Values all;
  const op_set nodes = op_decl_set(pick(random, 20, 600), "nodes");
  const std::array adders{Adders(random, nodes, 2, true, "edges"),
                          Adders(random, nodes, 3, true, "triangles"),
                          Adders(random, nodes, 4, false, "quads")};
  const op_dat state = declare_values(random, nodes, 2, "state"),
               sum = declare_values(random, nodes, 2, "sum");
  for (int step = 0; step < 6; ++step) {
    const auto count = static_cast<std::size_t>(pick(random, 1, 3));
    for (std::size_t k = 0; k < count; ++k) add(adders[k], state, sum);
    if (chance(random, 40))
      fetch(sum, all);
    else
      op_par_loop(use_sums, "use_sums", nodes, op_arg_dat(sum, OP_RW), op_arg_dat(state, OP_RW));
  }
  fetch(sum, all);
  fetch(state, all);
  op_exit();
  return all;
}

class PullBits : public testing::Test {
 protected:
  void SetUp() override {
    setenv("OP2_RENUMBER", "off", 1);
    setenv("OP2_FP_CONTRACT", "off", 1);
  }
  void TearDown() override {
    for (const char* name : {"OP2_RENUMBER", "OP2_FP_CONTRACT", "OP2_TARGET", "OP2_GPU_INC"})
      unsetenv(name);
  }
  static Values run_on(const char* target, const char* increments, std::uint64_t seed) {
    setenv("OP2_TARGET", target, 1);
    setenv("OP2_GPU_INC", increments, 1);
    return run(seed);
  }
};

TEST_F(PullBits, AreThoseOfASequentialLoop) {
  for (std::uint64_t seed = 1; seed <= 24; ++seed)
    EXPECT_TRUE(run_on("reference", "auto", seed) == run_on("cuda", "pull", seed)) << seed;
}

/// Otherwise the test above proves nothing.
TEST_F(PullBits, AreOthersInAnotherOrder) {
  EXPECT_FALSE(run_on("reference", "auto", 1) == run_on("cuda", "rows", 1));
}

}  // namespace
}  // namespace op2::test
