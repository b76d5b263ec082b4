// SPDX-License-Identifier: BSD-3-Clause
// What a loop costs besides its own work: a tiny mesh, chains repeated many times, and the time per
// loop that the library takes more than calls of equivalent functions. One line of JSON per figure.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <op2/op2.hpp>

#include <airfoil/flow.hpp>
#include <airfoil/kernels.hpp>

#include "direct_loops.hpp"
#include "function_airfoil.hpp"
#include "stopwatch.hpp"

namespace bench {

namespace {

struct Settings {
  std::array<int, 2> size{4, 4};
  int repeats = 2000;
  int rounds = 20;
  std::vector<int> threads{1, 2};
};

struct DirectCall {
  DirectLoop loop;
  int elements;
};

struct Case {
  const char* name;
  std::function<void()> by_library;  ///< one chain, executed when it returns
  std::vector<DirectCall> directly;  ///< the same loops
};

std::vector<DirectCall> airfoil_calls(const airfoil::Mesh& mesh) {
  std::vector<DirectCall> calls{{save_soln, mesh.cells()}};
  for (int half = 0; half < 2; ++half) {
    calls.insert(calls.end(), {{adt_calc, mesh.cells()},
                               {res_calc, mesh.edges()},
                               {bres_calc, mesh.bedges()},
                               {update, mesh.cells()}});
  }
  return calls;
}

/// Every loop reads what the one before wrote, so that none can be left out.
void copy_back_and_forth(const airfoil::Flow& flow, int pairs) {
  for (int pair = 0; pair < pairs; ++pair) {
    op_par_loop(airfoil::save_soln, "save", flow.cells, op_arg_dat(flow.q, OP_READ),
                op_arg_dat(flow.qold, OP_WRITE));
    op_par_loop(airfoil::save_soln, "restore", flow.cells, op_arg_dat(flow.qold, OP_READ),
                op_arg_dat(flow.q, OP_WRITE));
  }
  op_flush();
}

double best_us_per_loop(const Settings& settings, std::size_t loops,
                        const std::function<void()>& chain) {
  double best = 1e300;
  for (int round = 0; round < settings.rounds; ++round) {
    const double time = milliseconds([&] {
      for (int repeat = 0; repeat < settings.repeats; ++repeat) chain();
    });
    best = std::min(best, time);
  }
  return 1e3 * best / (settings.repeats * static_cast<double>(loops));
}

void measure(const Case& measured, DirectAirfoil& data, const Settings& settings, int threads) {
  // The compiler must not see through these pointers, as it cannot through those of generated code.
  const volatile auto call_all = +[](std::span<const DirectCall> calls, DirectAirfoil& d) {
    for (const DirectCall& call : calls) call.loop(0, call.elements, d);
  };
  const std::size_t loops = measured.directly.size();
  measured.by_library();
  const double direct =
      best_us_per_loop(settings, loops, [&] { call_all(measured.directly, data); });
  const double library = best_us_per_loop(settings, loops, measured.by_library);
  std::printf(
      "{\"case\": \"%s\", \"threads\": %d, \"loops\": %zu, \"us_per_loop\": %.4f, \"library_us\": "
      "%.4f, \"direct_us\": %.4f}\n",
      measured.name, threads, loops, library - direct, library, direct);
  std::fflush(stdout);
}

void measure_all(const airfoil::Mesh& mesh, const Settings& settings, int threads) {
  setenv("OP2_THREADS", std::to_string(threads).c_str(), 1);
  char name[] = "overhead_bench";
  char* arguments[] = {name, nullptr};
  op_init(1, arguments, 0);
  const airfoil::Flow flow = airfoil::declare_flow(mesh);
  airfoil::Residual lazy(true), raw(false);
  FunctionAirfoil functions(mesh);
  DirectAirfoil data(mesh);
  const auto iterate_lazily = [&] {
    airfoil::iterate(flow, lazy);
    op_flush();
  };
  std::vector<DirectCall> copies;
  for (int pair = 0; pair < 8; ++pair)
    copies.insert(copies.end(), {{save_soln, mesh.cells()}, {restore_soln, mesh.cells()}});
  const Case cases[] = {
      {"direct loops", [&] { copy_back_and_forth(flow, 8); }, copies},
      {"airfoil, lazy reduction", iterate_lazily, airfoil_calls(mesh)},
      {"airfoil, raw reduction", [&] { airfoil::iterate(flow, raw); }, airfoil_calls(mesh)},
      {"airfoil, raw reduction, kernels are functions", [&] { functions.iterate(1); },
       airfoil_calls(mesh)}};
  for (const Case& c : cases) measure(c, data, settings, threads);
  op_exit();
}

}  // namespace

}  // namespace bench

int main(int argc, char** argv) {
  CLI::App app("Measures what the library adds to a loop");
  bench::Settings settings;
  app.add_option("--size", settings.size, "cells around the profile, and away from it")
      ->capture_default_str();
  app.add_option("--repeats", settings.repeats, "of a chain in one measurement")
      ->capture_default_str();
  app.add_option("--rounds", settings.rounds, "measurements; the minimum counts")
      ->capture_default_str();
  app.add_option("--threads", settings.threads, "numbers of threads")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    const airfoil::Mesh mesh = airfoil::make_c_grid(settings.size[0], settings.size[1]);
    for (const int threads : settings.threads) bench::measure_all(mesh, settings, threads);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "overhead_bench: %s\n", error.what());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
