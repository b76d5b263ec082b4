// SPDX-License-Identifier: BSD-3-Clause
// Airfoil by the library against hand-written Airfoil, alternately in one process; and, in separate
// processes, the memory it takes and the time to its first result. One line of JSON per figure.
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <op2/op2.hpp>

#include <airfoil/flow.hpp>
#include <airfoil/mesh.hpp>

#include "function_airfoil.hpp"
#include "hand_airfoil.hpp"
#include "hand_airfoil_simd.hpp"
#include "stopwatch.hpp"

namespace bench {

namespace {

struct Settings {
  std::array<int, 2> size{400, 600};
  int iterations = 5;
  int rounds = 12;
  std::vector<int> threads{1, 2};
  bool agree_only = false;
  std::string child;
};

struct Case {
  const char* name;
  std::function<double()> advance;  ///< by Settings::iterations; yields the residual
  double residual = 0;              ///< after the first call
  double best_ms = 1e300;           ///< per iteration
};

double advance(const airfoil::Flow& flow, airfoil::Residual& residual, int iterations) {
  for (int iteration = 0; iteration < iterations; ++iteration) airfoil::iterate(flow, residual);
  return std::sqrt(residual.value() / flow.cells->size);
}

/// Sums are added up in different orders; nothing else may differ.
void expect_agreement(const std::vector<Case>& cases) {
  for (const Case& other : cases) {
    const double deviation = std::fabs(other.residual / cases[0].residual - 1);
    if (deviation <= 1e-12) continue;
    throw std::runtime_error(std::string(other.name) +
                             ": residual differs from the hand-written one by " +
                             std::to_string(deviation) + " (relative)");
  }
}

void print(const std::vector<Case>& cases, int cells, int threads) {
  for (const Case& c : cases) {
    std::printf(
        "{\"case\": \"%s\", \"cells\": %d, \"threads\": %d, \"ms_per_iter\": %.3f, "
        "\"times_as_fast\": %.3f, \"residual\": %.13e}\n",
        c.name, cells, threads, c.best_ms, cases[0].best_ms / c.best_ms, c.residual);
  }
  std::fflush(stdout);
}

/// The mesh with nodes, cells and edges numbered at random.
airfoil::Mesh shuffled(const airfoil::Mesh& mesh) {
  std::mt19937 random(1);
  const auto permutation = [&](int size) {
    std::vector<int> numbers(size);
    std::iota(numbers.begin(), numbers.end(), 0);
    std::shuffle(numbers.begin(), numbers.end(), random);
    return numbers;
  };
  const std::vector<int> node = permutation(mesh.nodes()), cell = permutation(mesh.cells()),
                         edge = permutation(mesh.edges()), bedge = permutation(mesh.bedges());
  const auto renumber = [](std::vector<int>& map, int arity, const std::vector<int>& from,
                           const std::vector<int>& to) {
    const std::vector<int> old = map;
    for (std::size_t k = 0; k < old.size(); ++k)
      map[from[k / arity] * arity + k % arity] = to.empty() ? old[k] : to[old[k]];
  };
  airfoil::Mesh other = mesh;
  for (int n = 0; n < mesh.nodes(); ++n)
    for (int k = 0; k < 2; ++k) other.x[2 * node[n] + k] = mesh.x[2 * n + k];
  renumber(other.cell_nodes, 4, cell, node);
  renumber(other.edge_nodes, 2, edge, node);
  renumber(other.edge_cells, 2, edge, cell);
  renumber(other.bedge_nodes, 2, bedge, node);
  renumber(other.bedge_cell, 1, bedge, cell);
  renumber(other.bound, 1, bedge, {});
  return other;
}

void compare(const airfoil::Mesh& mesh, const Settings& settings, int threads) {
  setenv("OP2_THREADS", std::to_string(threads).c_str(), 1);
  char name[] = "airfoil_bench";
  char* arguments[] = {name, nullptr};
  op_init(1, arguments, 0);
  HandAirfoil hand(mesh, threads);
  HandAirfoilSimd simd(mesh, threads, Residuals::last), simd_raw(mesh, threads, Residuals::each);
  const airfoil::Flow raw_flow = airfoil::declare_flow(mesh),
                      lazy_flow = airfoil::declare_flow(mesh),
                      random_flow = airfoil::declare_flow(shuffled(mesh));
  FunctionAirfoil functions(mesh);
  airfoil::Residual raw(false), lazy(true), random(true);
  std::vector<Case> cases{
      {"hand scalar", [&] { return hand.iterate(settings.iterations); }},
      {"hand simd", [&] { return simd.iterate(settings.iterations); }},
      {"hand simd, all residuals", [&] { return simd_raw.iterate(settings.iterations); }},
      {"library raw", [&] { return advance(raw_flow, raw, settings.iterations); }},
      {"library raw, kernels are functions",
       [&] { return std::sqrt(functions.iterate(settings.iterations) / mesh.cells()); }},
      {"library lazy", [&] { return advance(lazy_flow, lazy, settings.iterations); }},
      {"library lazy, random numbering",
       [&] { return advance(random_flow, random, settings.iterations); }}};
  for (Case& c : cases) c.residual = c.advance();  // compiles kernels and touches memory
  expect_agreement(cases);
  for (int round = 0; round < settings.rounds; ++round) {
    for (Case& c : cases)
      c.best_ms = std::min(c.best_ms, milliseconds(c.advance) / settings.iterations);
  }
  print(cases, mesh.cells(), threads);
  op_exit();
}

std::int64_t bytes_of(const airfoil::Flow& flow) {
  std::int64_t bytes = 0;
  for (const op_map map : {flow.pedge, flow.pecell, flow.pbedge, flow.pbecell, flow.pcell}) {
    bytes += std::int64_t{4} * map->from->size * map->dim;
  }
  for (const op_dat dat : {flow.x, flow.q, flow.qold, flow.res, flow.adt, flow.bound}) {
    bytes += std::int64_t{1} * dat->set->size * dat->size;
  }
  return bytes;
}

/// From here on `peak_memory` is about what comes, not about what was.
void forget_peak_memory() {
  std::ofstream("/proc/self/clear_refs") << "5\n";
}

/// The most memory that this process has had, in bytes.
std::int64_t peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != "VmHWM:") continue;
    std::int64_t kilobytes = 0;
    status >> kilobytes;
    return kilobytes * 1024;
  }
  throw std::runtime_error("no VmHWM in /proc/self/status");
}

/// Start-up: from op_init to the end of the first chain, less the declaration of the mesh and less
/// what the same chain takes when it is repeated.
void run_child(const Settings& settings, int argc, char** argv) {
  auto mesh =
      std::make_unique<airfoil::Mesh>(airfoil::make_c_grid(settings.size[0], settings.size[1]));
  double declare_ms = 0, chain_ms = 1e300;
  airfoil::Flow flow{};
  const auto declare = [&] { flow = airfoil::declare_flow(*mesh); };
  std::unique_ptr<airfoil::Residual> residual;
  const auto iterate = [&] { advance(flow, *residual, 1); };
  const double total_ms = milliseconds([&] {
    op_init(argc, argv, 0);
    declare_ms = milliseconds(declare);
    mesh.reset();  // the program's own copy
    forget_peak_memory();
    residual = std::make_unique<airfoil::Residual>(true);
    iterate();
  });
  for (int repeat = 0; repeat < 5; ++repeat) chain_ms = std::min(chain_ms, milliseconds(iterate));
  const op_jit_statistics jit = op_get_jit_statistics();
  if (settings.child == "memory") {
    const double bytes = static_cast<double>(bytes_of(flow)),
                 peak = static_cast<double>(peak_memory());
    std::printf(
        "{\"case\": \"memory\", \"dats_and_maps_mb\": %.1f, \"peak_mb\": %.1f, \"limit_mb\": "
        "%.1f}\n",
        bytes / 1e6, peak / 1e6, 1.3 * bytes / 1e6 + 130);
  } else if (settings.child != "discard") {
    std::printf(
        "{\"case\": \"startup\", \"cache\": \"%s\", \"seconds\": %.4f, \"compiled\": %lld, "
        "\"disk_hits\": %lld}\n",
        settings.child.c_str(), (total_ms - declare_ms - chain_ms) / 1e3,
        static_cast<long long>(jit.compiled), static_cast<long long>(jit.disk_hits));
  }
  op_exit();
}

/// Runs this program again as `child`, with its own cache directory.
void spawn_child(const Settings& settings, const std::string& child, const std::string& cache) {
  setenv("OP2_CACHE_DIR", cache.c_str(), 1);
  std::vector<std::string> words{"airfoil_bench",
                                 "--child",
                                 child,
                                 "--size",
                                 std::to_string(settings.size[0]),
                                 std::to_string(settings.size[1])};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t process = 0;
  int status = 0;
  if (posix_spawn(&process, "/proc/self/exe", nullptr, nullptr, arguments.data(), environ) != 0 ||
      waitpid(process, &status, 0) != process || status != 0) {
    throw std::runtime_error("the child process '" + child + "' failed");
  }
}

void measure_processes(const Settings& settings) {
  unsetenv("OP2_THREADS");
  const std::filesystem::path base =
      std::filesystem::temp_directory_path() / ("airfoil_bench." + std::to_string(getpid()));
  const auto cache = [&](const char* name) { return (base / name).string(); };
  std::filesystem::create_directory(base);
  std::filesystem::permissions(base, std::filesystem::perms::owner_all);
  spawn_child(settings, "discard", cache("first"));  // files are in the page cache from here on
  spawn_child(settings, "cold", cache("second"));
  spawn_child(settings, "warm", cache("second"));
  spawn_child(settings, "memory", cache("third"));
  std::filesystem::remove_all(base);
}

void describe(CLI::App& app, Settings& settings) {
  app.add_option("--size", settings.size, "cells around the profile, and away from it")
      ->capture_default_str();
  app.add_option("--iterations", settings.iterations, "in one measurement")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--rounds", settings.rounds, "measurements of each case; the minimum counts")
      ->capture_default_str();
  app.add_option("--threads", settings.threads, "numbers of threads")->capture_default_str();
  app.add_flag("--agree-only", settings.agree_only,
               "only see whether all cases have the same residual");
  app.add_option("--child", settings.child)->group("");
}

void run(const Settings& settings, int argc, char** argv) {
  if (!settings.child.empty()) return run_child(settings, argc, argv);
  const airfoil::Mesh mesh = airfoil::make_c_grid(settings.size[0], settings.size[1]);
  for (const int threads : settings.threads) compare(mesh, settings, threads);
  if (!settings.agree_only) measure_processes(settings);
}

}  // namespace

}  // namespace bench

int main(int argc, char** argv) {
  CLI::App app("Measures Airfoil, hand-written and by the library");
  bench::Settings settings;
  bench::describe(app, settings);
  CLI11_PARSE(app, argc, argv);
  if (settings.agree_only) settings.rounds = 1;
  try {
    bench::run(settings, argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "airfoil_bench: %s\n", error.what());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
