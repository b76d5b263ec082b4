// SPDX-License-Identifier: BSD-3-Clause
// What it costs to distribute the Airfoil mesh, and what the analysis of chains costs. Run it under
// mpirun; one line of JSON per figure, by the slowest rank.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <stdexcept>
#include <vector>

#include <CLI/CLI.hpp>
#include <op2/op2.hpp>

#include <airfoil/flow.hpp>
#include <api/session.hpp>
#include <comm/halo/halo_plan.hpp>
#include <comm/messages/records.hpp>
#include <sched/analysis/analyse.hpp>
#include <sched/analysis/chain_analysis.hpp>
#include <sched/plan.hpp>

#include "stopwatch.hpp"

using namespace op2;

namespace {

/// The slowest rank's milliseconds for a collective action.
double slowest(comm::Communicator& ranks, const std::function<void()>& action) {
  ranks.barrier();
  const auto times = comm::gather_records(ranks, bench::milliseconds(action));
  return *std::max_element(times.begin(), times.end());
}

void print(const comm::Communicator& ranks, const char* figure, double value, const char* unit) {
  if (ranks.is_root())
    std::printf("{\"figure\": \"%s\", \"ranks\": %d, \"value\": %.6g, \"unit\": \"%s\"}\n", figure,
                ranks.size(), value, unit);
}

void measure_distribution(api::Runtime& runtime, const airfoil::Flow& flow, int layers) {
  comm::Communicator& ranks = runtime.ranks();
  print(ranks, "op_partition by PT-Scotch, from blocks",
        slowest(ranks, [&] { op_partition("PTSCOTCH", "KWAY", flow.cells, flow.pecell, flow.x); }),
        "ms");
  print(ranks, "halo growth", slowest(ranks, [&] { runtime.rows.ensure_rows(2 * layers); }), "ms");
  double most = 0, ratio = 0;
  for (const comm::HaloMemory& of :
       comm::gather_records(ranks, comm::halo_memory(runtime.rows.halo_plan(), runtime.mesh))) {
    most = std::max(most, 1e-6 * static_cast<double>(of.rows));
    ratio = std::max(ratio, static_cast<double>(of.rows + of.lists) / static_cast<double>(of.rows));
  }
  print(ranks, "halo rows", most, "MB");
  print(ranks, "halo memory over halo rows", ratio, "1");
}

double best_microseconds(int repeats, const std::function<void()>& action) {
  double best = 1e300;
  for (int round = 0; round < 10; ++round)
    best = std::min(best, 1e3 / repeats * bench::milliseconds([&] {
                            for (int k = 0; k < repeats; ++k) action();
                          }));
  return best;
}

/// The queue of two iterations: 18 loops in one chain.
void measure_analysis(api::Runtime& runtime) {
  const core::Queue& queue = runtime.queue;
  const std::vector<core::Level> valid(runtime.mesh.dats().size(), 0);
  const auto loops = std::ranges::count_if(
      queue.records(), [](const core::LoopRecord& record) { return !record.is_assignment(); });
  if (loops != 18 || sched::cut_chains(queue).size() != 1)
    throw std::logic_error("this is not one chain of 18 loops");
  const double analysis = best_microseconds(100, [&] {
    const auto chains = sched::cut_chains(queue);
    const auto chain = sched::describe_chain(queue, chains.front());
    const std::vector<core::Level> levels(chain.dats.size(), 0);
    if (sched::analyse_chain(chain.loops, levels, levels).extent.size() != queue.size())
      throw std::logic_error("not every loop has an extent");
  });
  print(runtime.ranks(), "analysis of a chain of 18 loops", analysis, "us");
  const sched::PlanKey key = sched::key_of(queue, valid);
  const std::size_t hash = sched::hash_of(queue);
  const double finding = best_microseconds(10000, [&] {
    if (sched::hash_of(queue) != hash || !sched::fits(key, queue, valid))
      throw std::logic_error("the plan is not found");
  });
  print(runtime.ranks(), "finding the plan of 18 loops", finding, "us");
}

void run(const std::array<int, 2>& size, int layers) {
  const airfoil::Mesh mesh = airfoil::make_c_grid(size[0], size[1]);
  const airfoil::Flow flow =
      airfoil::declare_flow(airfoil::block_of(mesh, op_rank(), op_ranks()), {"BLOCK", ""});
  api::Runtime& runtime = api::running();
  if (op_ranks() > 1) measure_distribution(runtime, flow, layers);
  airfoil::Residual residual(true);
  for (int iteration = 0; iteration < 2; ++iteration) airfoil::iterate(flow, residual);
  measure_analysis(runtime);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("What distributing a mesh and analysing chains cost");
  std::array<int, 2> size{400, 600};
  int layers = 8;
  app.add_option("--size", size, "cells around the profile, and away from it")
      ->capture_default_str();
  app.add_option("--layers", layers, "of the halo")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    op_init(argc, argv, 0);
    run(size, layers);
    op_exit();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ranks_bench: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
