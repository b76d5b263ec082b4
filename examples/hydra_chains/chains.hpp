// SPDX-License-Identifier: BSD-3-Clause
// The chains as data: what a loop is and how it accesses its dats can be read as well as run.
#pragma once

#include <vector>

#include "solver.hpp"

namespace hydra_chains {

/// One call of op_par_loop.
struct Loop {
  op_kernel kernel;
  op_loop_name name;
  op_set set;
  std::vector<op_arg> args;
};

struct Chain {
  const char* name;
  std::vector<Loop> before;  ///< runs before: makes copies of what the chain reads outdated
  std::vector<Loop> loops;
  bool at_start;  ///< runs at the start of the program only
};

enum class Variant {
  increments,  ///< loops over edges add to nodes, OP_INC
  /// Two of them are OP_RW, as published: their edges depend on each other and run in colours.
  as_published
};

/// weight, period, gradl, vflux, iflux, jacob.
std::vector<Chain> chains_of(const Solver& solver, Variant variant);

/// The loop that ends an iteration, with a lazy norm.
Loop step_of(const Solver& solver);

/// Queues the loops and executes them. Collective.
void run(const std::vector<Loop>& loops);

}  // namespace hydra_chains
