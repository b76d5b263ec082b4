// SPDX-License-Identifier: BSD-3-Clause
// A chain of loops in which every loop reads halo values that the previous one has written: what is
// gained by a single halo exchange? See --help; compare OP2_CHAIN=on and off under mpirun.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <stdexcept>
#include <string>

#include <CLI/CLI.hpp>
#include <op2/op2.hpp>

#include "chain.hpp"
#include "report.hpp"

namespace {

using namespace loop_chain;

constexpr int largest = 1'000'000'000;  // value of an option
constexpr double tolerance = 1e-11;     // of the largest flux; rounding grows with the chain

void describe(CLI::App& app, Options& options) {
  app.add_option("--dim", options.dim, "2: quadrilaterals, 3: hexahedra")
      ->capture_default_str()
      ->check(CLI::Range(2, 3));
  app.add_option("--size", options.cells, "cells along each direction")
      ->capture_default_str()
      ->check(CLI::Range(1, largest));
  app.add_option("--nchains", options.pairs, "how often a chain repeats its two loops")
      ->capture_default_str()
      ->check(CLI::Range(1, largest));
  app.add_option("--repeats", options.repeats, "chains that are measured")
      ->capture_default_str()
      ->check(CLI::Range(1, largest));
  app.add_option("--variant", options.variant,
                 "growing: update reads the flux, so that every repetition needs more layers")
      ->capture_default_str()
      ->check(CLI::IsMember({"constant", "growing"}));
  app.add_option("--partitioner", options.partitioner,
                 "library and routine for op_partition, as PTSCOTCH KWAY")
      ->capture_default_str();
  app.add_flag("--json", options.json, "print one line of JSON instead of the table");
}

double seconds() {
  double cpu = 0, wall = 0;
  op_timers(&cpu, &wall);
  return wall;
}

/// Costs of one chain. Inputs are reset before the time is taken.
Costs run_chain(const Mesh& mesh, const Options& options, double amplitude) {
  prepare_inputs(mesh, amplitude);
  const Costs before = counted_costs(options.feedback());
  const double start = seconds();
  queue_chain(mesh, options.pairs, options.feedback());
  const double end = seconds();
  Costs costs = plus(counted_costs(options.feedback()), -1, before);
  costs.seconds = end - start;
  return costs;
}

/// Average over the chains; the first two are not counted, because they compile and grow halos.
Costs measure(const Mesh& mesh, const Options& options) {
  for (int warm_up = 0; warm_up < 2; ++warm_up) run_chain(mesh, options, 2);
  Costs average{};
  for (int repeat = 0; repeat < options.repeats; ++repeat)
    average = plus(average, 1.0 / options.repeats, run_chain(mesh, options, 2));
  return average;
}

bool passes(const Comparison& comparison, const State& expected) {
  const double largest = *std::max_element(expected.begin(), expected.end());
  return comparison.deviation <= tolerance * largest;  // false for NaN
}

Grid grid_of(const Options& options) {
  const Grid grid{options.dim, options.cells};
  const double entries = 2.0 * static_cast<double>(grid.edges());
  if (entries > std::numeric_limits<int>::max()) {
    throw std::invalid_argument("a grid of " + std::to_string(options.cells) +
                                " cells along each direction is too large: its edges take " +
                                "more than 2^31 entries in their map");
  }
  return grid;
}

int run(const Options& options) {
  const Grid grid = grid_of(options);
  const Mesh mesh = declare_mesh(grid);
  op_partition(options.partitioner[0].c_str(), options.partitioner[1].c_str(), mesh.nodes,
               mesh.edge_nodes, mesh.x);
  const Summary summary = summarise(measure(mesh, options));

  run_chain(mesh, options, 1);  // new values, so that stale ones would be detected
  const State expected = expected_flux(grid, options.pairs, options.feedback());
  const Comparison comparison = compare_flux(mesh, expected);
  const bool passed = passes(comparison, expected);
  if (options.json) {
    print_json(options, grid, summary, comparison, passed);
  } else {
    print(options, grid, summary);
    op_printf("sum of squares %.12e, largest deviation from the exact flux %.1e: %s\n",
              comparison.sum_of_squares, comparison.deviation, passed ? "PASSED" : "FAILED");
  }
  return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("A chain of loops over the edges of a structured grid");
  Options options;
  describe(app, options);
  try {
    op_init(argc, argv);
    app.parse(argc, argv);
    const int status = run(options);
    op_exit();
    return status;
  } catch (const CLI::ParseError& error) {
    const int status = op_is_root() ? app.exit(error) : error.get_exit_code();
    op_exit();
    return status;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "loop_chain: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
