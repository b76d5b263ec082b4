// SPDX-License-Identifier: BSD-3-Clause
// Six chains of loops with the sets, dimensions and access modes of a production flow solver: what
// do they exchange, and what is gained by one exchange for each? See --help; compare OP2_CHAIN=on
// and off under mpirun.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <CLI/CLI.hpp>
#include <op2/op2.hpp>

#include "counts.hpp"
#include "report.hpp"

namespace {

using namespace hydra_chains;

constexpr int most_executions = 1'000'000'000;
constexpr int largest_width = 700;  // the map of the edges has 2^31 entries beyond

void describe(CLI::App& app, Options& options) {
  app.add_option("--size", options.width, "nodes along each direction of the cube")
      ->capture_default_str()
      ->check(CLI::Range(3, largest_width));
  app.add_flag("--random", options.random, "number the nodes at random");
  app.add_flag("--as-published", options.as_published,
               "OP_RW in two loops over edges, whose results then depend on the order");
  app.add_flag("--two-maps", options.two_maps,
               "declare the maps of the boundaries twice: their loops then need halos");
  app.add_option("--starts", options.starts,
                 "executions of weight and period; the first two of every chain are not counted")
      ->capture_default_str()
      ->check(CLI::Range(1, most_executions));
  app.add_option("--iterations", options.iterations, "executions of gradl, vflux, iflux and jacob")
      ->capture_default_str()
      ->check(CLI::Range(1, most_executions));
  app.add_option("--partitioner", options.partitioner,
                 "library and routine for op_partition, as PTSCOTCH KWAY; boxes -: cuboids")
      ->capture_default_str();
  app.add_flag("--json", options.json, "print one line of JSON instead of the table");
}

OP_KERNEL(add_squares, (const double* row, const int* dim, double* sum), {
  for (int n = 0; n < *dim; ++n) *sum += row[n] * row[n];
});

std::vector<double> squares_of(const Solver& solver) {
  std::vector<double> squares;
  for (const op_dat dat : solver.modified()) {
    double sum = 0;
    op_par_loop(add_squares, "add_squares", solver.nodes, op_arg_dat(dat, OP_READ),
                op_arg_gbl(&dat->dim, 1, "int", OP_READ), op_arg_gbl(&sum, 1, "double", OP_INC));
    squares.push_back(sum);
  }
  return squares;
}

std::vector<Record> execute(const Solver& solver, const std::vector<Chain>& chains,
                            const Options& options) {
  std::vector<Record> records(chains.begin(), chains.end());
  const auto execute_all = [&](bool at_start) {
    for (Record& record : records)
      if (record.chain().at_start == at_start) record.execute();
  };
  for (int start = 0; start < options.starts; ++start) execute_all(true);
  for (int iteration = 0; iteration < options.iterations; ++iteration) {
    execute_all(false);
    run({step_of(solver)});
  }
  return records;
}

bool run(const Options& options) {
  const Solver solver = declare_solver(options.cube(), options.partitioner, options.walls());
  const std::vector<Chain> chains = chains_of(solver, options.variant());
  const std::vector<Record> records = execute(solver, chains, options);
  Result result{};
  op_fetch_global(solver.norm, &result.norm);
  for (const Record& record : records) result.counted.push_back(record.counted());
  result.summaries = summarise(solver, records);
  result.modified = solver.modified();
  result.squares = squares_of(solver);
  result.fingerprint = fingerprint(solver);
  options.json ? print_json(options, result) : print(options, result);
  return std::isfinite(result.norm) && result.norm > 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Chains of loops in the shape of a production flow solver");
  Options options;
  describe(app, options);
  try {
    op_init(argc, argv);
    app.parse(argc, argv);
    const bool passed = run(options);
    op_exit();
    return passed ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const CLI::ParseError& error) {
    const int status = op_is_root() ? app.exit(error) : error.get_exit_code();
    op_exit();
    return status;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hydra_chains: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
