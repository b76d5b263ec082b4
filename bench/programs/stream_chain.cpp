// SPDX-License-Identifier: BSD-3-Clause
#include "stream_chain.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <op2/op2.hpp>

#include "huge_pages.hpp"
#include "stopwatch.hpp"
#include "stream_loops.hpp"

namespace bench {
namespace {

// Oscillators: a time step of two kicks and two drifts.
OP_KERNEL(kick, (const double* x, double* v), { v[0] -= 0.01 * x[0]; });
OP_KERNEL(drift, (double* x, const double* v), { x[0] += 0.01 * v[0]; });

struct Oscillators {
  HugeVector<double> x, v;  ///< [elements]
  explicit Oscillators(int size) : x(size), v(size, 0) {
    for (int k = 0; k < size; ++k) x[k] = 1 + k % 7;
  }
};

struct LibraryOscillators {
  op_set points;
  op_dat x, v;
  explicit LibraryOscillators(const Oscillators& start)
      : points(op_decl_set(static_cast<int>(start.x.size()), "points")),
        x(op_decl_dat(points, 1, start.x.data(), "x")),
        v(op_decl_dat(points, 1, start.v.data(), "v")) {}
  void advance(int steps) const {
    for (int half = 0; half < 2 * steps; ++half) {
      op_par_loop(kick, "kick", points, op_arg_dat(x, OP_READ), op_arg_dat(v, OP_RW));
      op_par_loop(drift, "drift", points, op_arg_dat(x, OP_RW), op_arg_dat(v, OP_READ));
    }
    op_flush();
  }
};

/// Each thread does its share of all steps, one after the other; shares have nothing in common.
void advance_hand_written(Oscillators& points, const ChainSettings& settings,
                          void (*step)(int begin, int end, double* x, double* v)) {
  const auto begin_of = [&](long thread) {
    return static_cast<int>(thread * settings.size / settings.threads);
  };
  const auto share = [&](int thread) {
    for (int k = 0; k < settings.steps; ++k)
      step(begin_of(thread), begin_of(thread + 1), points.x.data(), points.v.data());
  };
  std::vector<std::jthread> others;
  for (int t = 1; t < settings.threads; ++t) others.emplace_back(share, t);
  share(0);
}

void expect_agreement(const Oscillators& expected, const double* x, const char* what) {
  for (std::size_t k = 0; k < expected.x.size(); ++k)
    if (std::fabs(x[k] - expected.x[k]) > 1e-12)
      throw std::runtime_error(std::string(what) + ": x[" + std::to_string(k) + "] is " +
                               std::to_string(x[k]) + " instead of " +
                               std::to_string(expected.x[k]));
}

}  // namespace

void measure_chain(const ChainSettings& settings) {
  setenv("OP2_THREADS", std::to_string(settings.threads).c_str(), 1);
  setenv("OP2_TILE", settings.tile, 1);
  char name[] = "stream_bench";
  char* arguments[] = {name, nullptr};
  op_init(1, arguments, 0);
  Oscillators by_loops(settings.size), fused(settings.size);
  const LibraryOscillators library(fused);
  double loops_ms = 1e300, fused_ms = 1e300, library_ms = 1e300;
  constexpr int warm_up = 3;  // kernels are compiled, tiles are made
  for (int round = -warm_up; round < settings.rounds; ++round) {
    if (round == 0) loops_ms = fused_ms = library_ms = 1e300;
    const auto measure = [&](double& best, const auto& advance) {
      best = std::min(best, milliseconds(advance) / settings.steps);
    };
    measure(loops_ms, [&] { advance_hand_written(by_loops, settings, oscillate_by_loops); });
    measure(fused_ms, [&] { advance_hand_written(fused, settings, oscillate_fused); });
    measure(library_ms, [&] { library.advance(settings.steps); });
  }
  expect_agreement(by_loops, fused.x.data(), "one hand-written loop");
  op_fetch_data(library.x, fused.x.data());
  expect_agreement(by_loops, fused.x.data(), "the library");
  std::printf(
      "{\"case\": \"chain of direct loops\", \"threads\": %d, \"steps\": %d, \"tile\": \"%s\", "
      "\"hand_loops_ms\": %.2f, \"hand_fused_ms\": %.2f, \"library_ms\": %.2f}\n",
      settings.threads, settings.steps, settings.tile, loops_ms, fused_ms, library_ms);
  std::fflush(stdout);
  op_exit();
  unsetenv("OP2_TILE");
}

}  // namespace bench
