// SPDX-License-Identifier: BSD-3-Clause
// The costs of the chains of one run, over all ranks.
#pragma once

#include <array>
#include <string>

#include "chain.hpp"

namespace loop_chain {

struct Options {
  int dim = 2;
  int cells = 200;  ///< along each direction
  int pairs = 8;    ///< of loops in one chain
  int repeats = 10;
  std::string variant = "constant";
  std::array<std::string, 2> partitioner{"PTSCOTCH", "KWAY"};
  bool json = false;

  bool feedback() const { return variant == "growing"; }
};

/// Costs of one rank since the start, or of one chain.
struct Costs {
  double chains, exchanges, messages, bytes, packed_rows;
  double interior_iterations, boundary_iterations, redundant_iterations;
  double update_iterations, flux_iterations;
  double seconds, wait_seconds;
};

/// The counters of the library. Local; the caller sets `seconds`.
Costs counted_costs(bool feedback);

/// costs + factor * other, member by member.
Costs plus(const Costs& costs, double factor, const Costs& other);

struct Summary {
  Costs sum, most;  ///< over the ranks
  int layers;       ///< of the deepest exchange
};
Summary summarise(const Costs& mine);

void print(const Options& options, const Grid& grid, const Summary& summary);
void print_json(const Options& options, const Grid& grid, const Summary& summary,
                const Comparison& comparison, bool passed);

}  // namespace loop_chain
