// SPDX-License-Identifier: BSD-3-Clause
// Kernels in which rows gather increments give the bits of a sequential loop.
#include <random>

#include <gmock/gmock.h>

#include <support/loop_shapes.hpp>
#include <unit/gpu_kernels/loop_on_device.hpp>

namespace op2::test {
namespace {

constexpr const char* flux_source = R"(
void flux(const double* a, const double* b, double* to_a, double* to_b, double* mean, long long* count) {
  for (int k = 0; k < 3; ++k) {
    const double f = (a[k] - b[k]) / 3;
    to_a[k] += f;
    to_b[k] -= 0.7 * f;
  }
  *mean = (a[0] + b[0]) / 7;
  *count += 1;
})";

jit::LoopNest flux_nest() {
  return jit::nest_of({.name = "flux", .source = flux_source},
                      {dat(0, 3, OP_READ, 0), dat(0, 3, OP_READ, 1), dat(1, 3, OP_INC, 0),
                       dat(1, 3, OP_INC, 1), dat(2, 1, OP_WRITE), global(1, OP_INC, Type::i64)});
}

/// Edges between random cells, some of them from a cell to itself, and values on both.
struct Graph {
  static constexpr int cells = 4500, edges = 9000;
  std::vector<double> q, res, mean = std::vector<double>(edges, -1);
  std::vector<std::int32_t> columns;  ///< first ends, then second ends
  std::int64_t count = 0;

  /// @param used  edges have ends among so many cells
  explicit Graph(int used) {
    std::mt19937 random(7);
    for (int k = 0; k < 3 * cells; ++k) {
      q.push_back(static_cast<double>(random()) / 1e6);
      res.push_back(static_cast<double>(random()) / 1e9);
    }
    for (int k = 0; k < 2 * edges; ++k) columns.push_back(static_cast<int>(random()) % used);
    for (std::int32_t& cell : columns) cell = std::abs(cell);
  }

  void run_on_host(int begin, int end, int counted) {
    for (int e = begin; e < end; ++e) {
      const int a = columns[e], b = columns[edges + e];
      for (int k = 0; k < 3; ++k) {
        const double f = (q[3 * a + k] - q[3 * b + k]) / 3;
        res[3 * a + k] += f;
        res[3 * b + k] -= 0.7 * f;
      }
      mean[e] = (q[3 * a] + q[3 * b]) / 7;
      if (e < counted) ++count;
    }
  }

  void run_on_device(int begin, int end, int counted) {
    PulledLoop loop(flux_nest());
    loop.add(q);
    loop.add(std::vector<int>(columns.begin(), columns.begin() + edges));
    loop.add(std::vector<int>(columns.begin() + edges, columns.end()));
    const OnDevice& res_there = loop.add(res);
    const OnDevice& mean_there = loop.add(mean);
    std::vector<std::int64_t> result{count}, chunks(cells / jit::block_threads + 1);
    const OnDevice& result_there = loop.add(result);
    const OnDevice& partials = loop.add(chunks);
    const std::array ends{sched::RowAccess{columns.data(), 1, cells},
                          sched::RowAccess{columns.data() + edges, 1, cells}};
    loop.run(sched::elements_by_row(ends, {begin, end}), counted);
    loop.fold(result_there, partials);
    res_there.download(res);
    mean_there.download(mean);
    result_there.download(result);
    count = result[0];
  }
};

void expect_equal_results(int used, int begin, int end, int counted) {
  Graph host(used), device(used);
  host.run_on_host(begin, end, counted);
  device.run_on_device(begin, end, counted);
  EXPECT_EQ(device.res, host.res);
  EXPECT_EQ(device.mean, host.mean);
  EXPECT_EQ(device.count, host.count);
}

TEST(PullKernel, GivesTheBitsOfASequentialLoop) {
  expect_equal_results(Graph::cells, 0, Graph::edges, Graph::edges);
}

TEST(PullKernel, RunsSomeElementsAndCountsFewer) {
  expect_equal_results(Graph::cells, 1000, 4000, 2500);
}

TEST(PullKernel, LeavesRowsThatNothingAddsToAsTheyAre) {
  expect_equal_results(Graph::cells, 10, 300, 300);
}

TEST(PullKernel, OneRowGathersEverything) {
  expect_equal_results(1, 0, Graph::edges, Graph::edges);
}

TEST(PullKernel, ANestThatCannotPullIsCompiledWithAtomics) {
  const PulledLoop direct(
      jit::nest_of({.name = "copy", .source = "void copy(const double* a, double* b) { *b = *a; }"},
                   {dat(0, 1, OP_READ), dat(1, 1, OP_WRITE)}));
  EXPECT_FALSE(direct.code().pulls);
  EXPECT_TRUE(PulledLoop(flux_nest()).code().pulls);
}

TEST(PullKernel, CodeForOtherIncrementsHasAnotherKey) {
  const auto nvrtc = gpu::load_nvrtc(libraries_of_environment(), 0);
  const auto options_with = [&](core::Increments increments) {
    return jit::CudaTarget(nullptr, nvrtc, {}, {.increments = increments}).options();
  };
  EXPECT_NE(options_with(core::Increments::pull), options_with(core::Increments::rows));
  EXPECT_NE(options_with(core::Increments::automatic), options_with(core::Increments::rows));
  EXPECT_NE(options_with(core::Increments::automatic), options_with(core::Increments::pull));
}

}  // namespace
}  // namespace op2::test
