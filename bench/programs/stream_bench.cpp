// SPDX-License-Identifier: BSD-3-Clause
// Memory bandwidth of hand-written loops and of the same loops by the library: copy, triad and
// a gather through a map, the limits that other figures are to be compared with; and a chain of
// direct loops, which needs less memory traffic than its loops. One line of JSON per figure.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <op2/op2.hpp>

#include "stopwatch.hpp"
#include "stream_chain.hpp"
#include "stream_loops.hpp"

namespace bench {
namespace {

OP_KERNEL(copy, (const double* a, double* b), { b[0] = a[0]; });
OP_KERNEL(triad, (const double* a, const double* b, double* c), { c[0] = a[0] + 3 * b[0]; });
OP_KERNEL(gather, (const double* left, const double* right, double* c),
          { c[0] = right[0] - left[0]; });

struct Settings {
  int size = 20'000'000;
  int rounds = 10;
  std::vector<int> threads{1, 2};
  std::vector<int> steps{1, 4};
  std::vector<std::string> tiles{"auto", "off"};
  bool chain_only = false;
};

/// Each thread runs its share.
double best_ms_hand_written(const Settings& settings, int threads,
                            const std::function<void(int begin, int end)>& loop) {
  double best = 1e300;
  for (int round = 0; round < settings.rounds; ++round)
    best = std::min(best, milliseconds([&] {
                      std::vector<std::jthread> others;
                      const auto share = [&](long t) {
                        return static_cast<int>(t * settings.size / threads);
                      };
                      for (int t = 1; t < threads; ++t)
                        others.emplace_back([&, t] { loop(share(t), share(t + 1)); });
                      loop(0, share(1));
                    }));
  return best;
}

double best_ms_by_library(const Settings& settings, const std::function<void()>& queue_loop) {
  double best = 1e300;
  for (int round = 0; round <= settings.rounds; ++round)  // the first one compiles
    best = std::min(best, milliseconds([&] {
                      queue_loop();
                      op_flush();
                    }));
  return best;
}

/// @param bytes  that the loop must move per element
void print(const char* name, const Settings& settings, int threads, double bytes,
           double hand_written, double by_library) {
  const double gigabytes = bytes * settings.size * 1e-9;
  std::printf(
      "{\"case\": \"%s\", \"threads\": %d, \"hand_gb_per_s\": %.2f, \"library_gb_per_s\": %.2f}\n",
      name, threads, gigabytes / (1e-3 * hand_written), gigabytes / (1e-3 * by_library));
  std::fflush(stdout);
}

void measure(const Settings& settings, int threads) {
  setenv("OP2_THREADS", std::to_string(threads).c_str(), 1);
  char name[] = "stream_bench";
  char* arguments[] = {name, nullptr};
  op_init(1, arguments, 0);
  const auto size = static_cast<std::size_t>(settings.size);
  std::vector<int> neighbours(2 * size);
  for (std::size_t k = 0; k < size; ++k) {
    neighbours[2 * k] = static_cast<int>(k);
    neighbours[2 * k + 1] = static_cast<int>(k + 1);
  }
  std::vector<double> a(size + 1, 1.0), b(size, 2.0), c(size, 0.0);
  const op_set points = op_decl_set(settings.size + 1, "points"),
               lines = op_decl_set(settings.size, "lines");
  const op_map ends = op_decl_map(lines, points, 2, neighbours.data(), "ends");
  const op_dat at = op_decl_dat(points, 1, a.data(), "a"),
               first = op_decl_dat(lines, 1, a.data(), "x"),
               second = op_decl_dat(lines, 1, b.data(), "y"),
               third = op_decl_dat(lines, 1, c.data(), "z");
  print("copy", settings, threads, 16,
        best_ms_hand_written(
            settings, threads,
            [&](int begin, int end) { copy_hand_written(begin, end, a.data(), c.data()); }),
        best_ms_by_library(settings, [&] {
          op_par_loop(copy, "copy", lines, op_arg_dat(first, OP_READ), op_arg_dat(third, OP_WRITE));
        }));
  print("triad", settings, threads, 24,
        best_ms_hand_written(settings, threads,
                             [&](int begin, int end) {
                               triad_hand_written(begin, end, a.data(), b.data(), c.data());
                             }),
        best_ms_by_library(settings, [&] {
          op_par_loop(triad, "triad", lines, op_arg_dat(first, OP_READ),
                      op_arg_dat(second, OP_READ), op_arg_dat(third, OP_WRITE));
        }));
  print("gather", settings, threads, 24,
        best_ms_hand_written(settings, threads,
                             [&](int begin, int end) {
                               gather_hand_written(begin, end, neighbours.data(), a.data(),
                                                   c.data());
                             }),
        best_ms_by_library(settings, [&] {
          op_par_loop(gather, "gather", lines, op_arg_dat(at, 0, ends, OP_READ),
                      op_arg_dat(at, 1, ends, OP_READ), op_arg_dat(third, OP_WRITE));
        }));
  op_exit();
}

void run(const Settings& settings) {
  for (const int threads : settings.threads) {
    if (!settings.chain_only) measure(settings, threads);
    for (const int steps : settings.steps)
      for (const std::string& tile : settings.tiles)
        measure_chain({settings.size, settings.rounds, threads, steps, tile.c_str()});
  }
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  CLI::App app("Measures what memory gives to simple loops");
  bench::Settings settings;
  app.add_option("--size", settings.size, "elements")->capture_default_str();
  app.add_option("--rounds", settings.rounds, "measurements; the minimum counts")
      ->capture_default_str();
  app.add_option("--threads", settings.threads, "numbers of threads")->capture_default_str();
  app.add_option("--steps", settings.steps, "for the chain of loops: time steps in one chain")
      ->capture_default_str();
  app.add_option("--tile", settings.tiles, "for the chain of loops: values of OP2_TILE")
      ->capture_default_str();
  app.add_flag("--chain-only", settings.chain_only, "measure nothing but the chain of loops");
  CLI11_PARSE(app, argc, argv);
  try {
    bench::run(settings);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "stream_bench: %s\n", error.what());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
