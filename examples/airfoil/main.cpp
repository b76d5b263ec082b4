// SPDX-License-Identifier: BSD-3-Clause
// Flow around a NACA0012 airfoil, the reference application. See --help and --op2-help.
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <string>

#include <CLI/CLI.hpp>
#include <op2/op2.hpp>

#include "flow.hpp"
#include "mesh.hpp"

namespace {

struct Options {
  std::array<int, 2> size{400, 600};
  int iterations = 1000;
  int every = 100;
  int untimed = 0;
  bool raw = false;
  bool no_check = false;
  std::array<std::string, 2> partitioner{"PTSCOTCH", "KWAY"};
  std::string mesh_file;
  std::string vtu_file;
};

constexpr int most_iterations = 1'000'000'000;

void describe(CLI::App& app, Options& options) {
  app.add_option("--size", options.size, "cells around the profile, and normal to it")
      ->capture_default_str();
  app.add_option("--mesh", options.mesh_file,
                 "read the mesh from this file instead of generating it");
  app.add_option("--iterations", options.iterations)
      ->capture_default_str()
      ->check(CLI::Range(0, most_iterations));
  app.add_option("--every", options.every, "iterations between two reports of the residual")
      ->capture_default_str()
      ->check(CLI::Range(1, most_iterations));
  app.add_option("--untimed", options.untimed, "iterations before the clock of the reports starts")
      ->capture_default_str()
      ->check(CLI::Range(0, most_iterations));
  app.add_option("--vtu", options.vtu_file, "write the flow for ParaView");
  app.add_option("--partitioner", options.partitioner,
                 "library and routine for op_partition, as PTSCOTCH KWAY")
      ->capture_default_str();
  app.add_flag("--raw", options.raw,
               "reduce residuals into a variable of the program, which ends a chain of loops");
  app.add_flag("--no-check", options.no_check, "do not compare with the known residuals");
}

double seconds() {
  double cpu = 0, wall = 0;
  op_timers(&cpu, &wall);
  return wall;
}

using Residuals = std::map<int, double>;  // by iteration

Residuals solve(const airfoil::Flow& flow, const Options& options) {
  airfoil::Residual residual(!options.raw);
  Residuals found;
  double start = seconds();
  const auto cells = static_cast<double>(op_get_size(flow.cells));
  const op_region iterations("iterations");  // docs/profiling.md
  for (int iteration = 1; iteration <= options.iterations; ++iteration) {
    airfoil::iterate(flow, residual);
    if (iteration == options.untimed) {
      residual.value();  // executes what is queued
      start = seconds();
    }
    if (iteration % options.every != 0 && iteration != options.iterations) continue;
    const op_region output("output");
    found[iteration] = std::sqrt(residual.value() / cells);
    op_printf("%6d of %d   residual %.13e   %9.6f s\n", iteration, options.iterations,
              found[iteration], seconds() - start);
  }
  return found;
}

struct Reference {
  int iteration;
  double residual;
  double tolerance;  ///< relative
};

/// Residuals on the original mesh of 400 x 600.
constexpr Reference references[] = {{100, 5.0218612497476e-04, 1e-10},
                                    {1000, 1.0601146375781e-04, 1e-7}};

bool is_classic(const airfoil::Flow& flow) {
  return op_get_size(flow.nodes) == 721801 && op_get_size(flow.edges) == 1438600 &&
         op_get_size(flow.cells) == 720000;
}

bool passes(const Reference& reference, double residual) {
  const double deviation = std::fabs(residual / reference.residual - 1);
  const bool passed = deviation <= reference.tolerance;  // false for NaN
  op_printf(
      "iteration %4d: residual %.13e, reference %.13e, relative deviation %.1e (at most %.0e): "
      "%s\n",
      reference.iteration, residual, reference.residual, deviation, reference.tolerance,
      passed ? "PASSED" : "FAILED");
  return passed;
}

bool check(const airfoil::Flow& flow, const Residuals& residuals) {
  if (!is_classic(flow) || residuals.count(100) == 0) {
    op_printf(
        "not checked: reference residuals exist for the mesh of 400 x 600 after 100 and 1000 "
        "iterations\n");
    return true;
  }
  bool passed = true;
  for (const Reference& reference : references) {
    const auto found = residuals.find(reference.iteration);
    if (found != residuals.end()) passed &= passes(reference, found->second);
  }
  return passed;
}

airfoil::Flow declare(const Options& options) {
  const airfoil::Mesh mesh = options.mesh_file.empty()
                                 ? airfoil::make_c_grid(options.size[0], options.size[1])
                                 : airfoil::read_mesh(options.mesh_file);
  op_printf("mesh: %d nodes, %d cells, %d edges, %d boundary edges\n", mesh.nodes(), mesh.cells(),
            mesh.edges(), mesh.bedges());
  return airfoil::declare_flow(airfoil::block_of(mesh, op_rank(), op_ranks()),
                               {options.partitioner[0], options.partitioner[1]});
}

int run(const Options& options) {
  const airfoil::Flow flow = declare(options);
  const Residuals residuals = solve(flow, options);
  if (!options.vtu_file.empty()) airfoil::write_fields(flow, options.vtu_file.c_str());
  op_timing_output();
  return options.no_check || check(flow, residuals) ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Inviscid flow around a NACA0012 profile");
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
    std::fprintf(stderr, "airfoil: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
