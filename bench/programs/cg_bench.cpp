// SPDX-License-Identifier: BSD-3-Clause
// Conjugate gradients by the library against hand-written code, alternately in one process: two
// sums per iteration decide how it goes on. One line of JSON per figure.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <op2/op2.hpp>

#include "cg_problem.hpp"
#include "stopwatch.hpp"

namespace bench {
namespace {

OP_KERNEL(start, (const double* f, double* u, double* p, double* r, double* rr), {
  u[0] = 0;
  p[0] = 0;
  r[0] = f[0];
  rr[0] += f[0] * f[0];
});
OP_KERNEL(direction, (const double* beta, const double* r, double* p, double* v), {
  p[0] = r[0] + beta[0] * p[0];
  v[0] = 0;
});
OP_KERNEL(multiply,
          (const double* k, const double* p0, const double* p1, const double* p2, const double* p3,
           double* v0, double* v1, double* v2, double* v3),
          {
            v0[0] += k[0] * p0[0] + k[1] * p1[0] + k[2] * p2[0] + k[3] * p3[0];
            v1[0] += k[4] * p0[0] + k[5] * p1[0] + k[6] * p2[0] + k[7] * p3[0];
            v2[0] += k[8] * p0[0] + k[9] * p1[0] + k[10] * p2[0] + k[11] * p3[0];
            v3[0] += k[12] * p0[0] + k[13] * p1[0] + k[14] * p2[0] + k[15] * p3[0];
          });
OP_KERNEL(product, (const double* inside, const double* p, double* v, double* pv), {
  v[0] *= inside[0];
  pv[0] += p[0] * v[0];
});
OP_KERNEL(advance,
          (const double* alpha, const double* p, const double* v, double* u, double* r, double* rr),
          {
            u[0] += alpha[0] * p[0];
            r[0] -= alpha[0] * v[0];
            rr[0] += r[0] * r[0];
          });

struct Settings {
  int width = 1000;
  int iterations = 20;
  int rounds = 6;
  std::vector<int> threads{1, 2};
  bool agree_only = false, on_ranks = false;
};

/// The elements of a set that this rank declares.
struct Block {
  explicit Block(int size)
      : begin(static_cast<int>(std::int64_t{size} * op_rank() / op_ranks())),
        end(static_cast<int>(std::int64_t{size} * (op_rank() + 1) / op_ranks())) {}

  int size() const { return end - begin; }
  /// Its part of values for all elements, `dim` for each.
  template <class T>
  const T* of(const std::vector<T>& all, int dim) const {
    return all.data() + std::ptrdiff_t{begin} * dim;
  }

  int begin, end;
};

class LibraryCg {
 public:
  explicit LibraryCg(const CgProblem& problem)
      : node_block_(problem.nodes),
        cell_block_(problem.cells),
        nodes_(op_decl_set(node_block_.size(), "nodes")),
        cells_(op_decl_set(cell_block_.size(), "cells")),
        cell_nodes_(
            op_decl_map(cells_, nodes_, 4, cell_block_.of(problem.cell_nodes, 4), "cell_nodes")),
        matrix_(op_decl_dat(cells_, 16, cell_block_.of(problem.matrix, 16), "matrix")),
        inside_(op_decl_dat(nodes_, 1, node_block_.of(problem.inside, 1), "inside")),
        f_(op_decl_dat(nodes_, 1, node_block_.of(problem.right_side, 1), "f")) {
    for (op_dat* dat : {&u_, &p_, &r_, &v_})
      *dat = op_decl_dat(nodes_, 1, static_cast<const double*>(nullptr), "work");
    if (op_ranks() > 1) op_partition("PTSCOTCH", "KWAY", nodes_, cell_nodes_, nullptr);
  }

  double solve(int iterations) {
    double rr = 0, beta = 0;
    op_par_loop(start, "start", nodes_, op_arg_dat(f_, OP_READ), op_arg_dat(u_, OP_WRITE),
                op_arg_dat(p_, OP_WRITE), op_arg_dat(r_, OP_WRITE),
                op_arg_gbl(&rr, 1, "double", OP_INC));
    for (int iteration = 0; iteration < iterations; ++iteration) {
      double pv = 0, next = 0;
      op_par_loop(direction, "direction", nodes_, op_arg_gbl(&beta, 1, "double", OP_READ),
                  op_arg_dat(r_, OP_READ), op_arg_dat(p_, OP_RW), op_arg_dat(v_, OP_WRITE));
      op_par_loop(multiply, "multiply", cells_, op_arg_dat(matrix_, OP_READ),
                  op_arg_dat(p_, 0, cell_nodes_, OP_READ), op_arg_dat(p_, 1, cell_nodes_, OP_READ),
                  op_arg_dat(p_, 2, cell_nodes_, OP_READ), op_arg_dat(p_, 3, cell_nodes_, OP_READ),
                  op_arg_dat(v_, 0, cell_nodes_, OP_INC), op_arg_dat(v_, 1, cell_nodes_, OP_INC),
                  op_arg_dat(v_, 2, cell_nodes_, OP_INC), op_arg_dat(v_, 3, cell_nodes_, OP_INC));
      op_par_loop(product, "product", nodes_, op_arg_dat(inside_, OP_READ), op_arg_dat(p_, OP_READ),
                  op_arg_dat(v_, OP_RW), op_arg_gbl(&pv, 1, "double", OP_INC));
      const double alpha = rr / pv;
      op_par_loop(advance, "advance", nodes_, op_arg_gbl(&alpha, 1, "double", OP_READ),
                  op_arg_dat(p_, OP_READ), op_arg_dat(v_, OP_READ), op_arg_dat(u_, OP_RW),
                  op_arg_dat(r_, OP_RW), op_arg_gbl(&next, 1, "double", OP_INC));
      beta = next / rr;
      rr = next;
    }
    return rr;
  }

 private:
  const Block node_block_, cell_block_;
  op_set nodes_, cells_;
  op_map cell_nodes_;
  op_dat matrix_, inside_, f_;
  op_dat u_ = nullptr, p_ = nullptr, r_ = nullptr, v_ = nullptr;
};

void compare(const CgProblem& problem, const Settings& settings, int threads) {
  setenv("OP2_THREADS", std::to_string(threads).c_str(), 1);
  char name[] = "cg_bench";
  char* arguments[] = {name, nullptr};
  op_init(1, arguments, 0);
  HandCg hand(problem, threads);
  LibraryCg library(problem);
  const double expected = hand.solve(settings.iterations),
               found = library.solve(settings.iterations);
  if (!(std::fabs(found / expected - 1) < 1e-8))
    throw std::runtime_error("the squared residuals differ: " + std::to_string(expected) + " and " +
                             std::to_string(found));
  double hand_written = 1e300, by_library = 1e300;
  for (int round = 0; round < settings.rounds; ++round) {
    hand_written = std::min(hand_written, milliseconds([&] { hand.solve(settings.iterations); }));
    by_library = std::min(by_library, milliseconds([&] { library.solve(settings.iterations); }));
  }
  std::printf(
      "{\"case\": \"conjugate gradients\", \"threads\": %d, \"cells\": %d, \"hand_ms_per_iter\": "
      "%.3f, \"library_ms_per_iter\": %.3f, \"times_as_fast\": %.3f}\n",
      threads, problem.cells, hand_written / settings.iterations, by_library / settings.iterations,
      hand_written / by_library);
  std::fflush(stdout);
  op_exit();
}

/// The library alone, on any number of ranks: one line with the wall clock of an iteration.
void time_on_ranks(const CgProblem& problem, const Settings& settings) {
  constexpr int of_a_solution = 100;  // more would divide zeros
  char name[] = "cg_bench";
  char* arguments[] = {name, nullptr};
  op_init(1, arguments, 0);
  LibraryCg library(problem);
  library.solve(of_a_solution);  // compiles, grows halos, prepares tiles
  const int solutions = std::max(1, settings.iterations / of_a_solution);
  double residual = 0;
  const double time = milliseconds([&] {
    for (int k = 0; k < solutions; ++k) residual = library.solve(of_a_solution);
  });
  op_printf("{\"ranks\": %d, \"cells\": %d, \"residual\": %.12e, \"most\": {\"seconds\": %.9g}}\n",
            op_ranks(), problem.cells, residual, 1e-3 * time / (solutions * of_a_solution));
  op_exit();
  if (!std::isfinite(residual)) throw std::runtime_error("the residual is not a number");
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  CLI::App app("Measures conjugate gradients, hand-written and by the library");
  bench::Settings settings;
  app.add_option("--width", settings.width, "cells along a side")->capture_default_str();
  app.add_option("--iterations", settings.iterations, "in one measurement")->capture_default_str();
  app.add_option("--rounds", settings.rounds, "measurements; the minimum counts")
      ->capture_default_str();
  app.add_option("--threads", settings.threads, "numbers of threads")->capture_default_str();
  app.add_flag("--agree-only", settings.agree_only, "only see whether both find the same");
  app.add_flag("--on-ranks", settings.on_ranks, "only the library, under mpirun");
  CLI11_PARSE(app, argc, argv);
  if (settings.agree_only) settings.rounds = 1;
  try {
    const bench::CgProblem problem(settings.width);
    if (settings.on_ranks)
      bench::time_on_ranks(problem, settings);
    else
      for (const int threads : settings.threads) bench::compare(problem, settings, threads);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cg_bench: %s\n", error.what());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
