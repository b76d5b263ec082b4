// SPDX-License-Identifier: BSD-3-Clause
// What the library has counted for each chain, over all ranks.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "chains.hpp"

namespace hydra_chains {

/// Counts of one rank since the start, or between two points of the program. Local.
struct Counts {
  double exchanges = 0, messages = 0, bytes = 0, packed_rows = 0;
  double interior_iterations = 0, boundary_iterations = 0, redundant_iterations = 0;
  double seconds = 0, wait_seconds = 0;
  std::vector<op_loop_statistics> loops;  ///< of the chain's distinct loops, in their order
  std::vector<op_halo_statistics> dats;   ///< of the dats that its loops use through maps
};

/// The loops and dats of a chain that are counted.
struct Counted {
  std::vector<const char*> loops;
  std::vector<op_dat> dats;
};
Counted counted_in(const Chain& chain);

/// Of all executions of a chain that count, on one rank.
class Record {
 public:
  /// @param chain  outlives it
  explicit Record(const Chain& chain);

  /// Executes the chain, after what comes before it; all ranks begin it together. The first two
  /// executions do not count: they compile, grow halos, exchange what no loop modifies and prepare
  /// tiles. Collective.
  void execute();

  const Chain& chain() const { return *chain_; }
  const Counted& counted() const { return counted_; }
  int executions() const { return std::max(0, executions_); }  ///< those that count
  const Counts& total() const { return total_; }

 private:
  const Chain* chain_;
  Counted counted_;
  Counts total_;
  int executions_ = -2;
};

/// One execution on average, over the ranks.
struct Summary {
  std::string chain;
  int executions;
  Counts sum, most;
};
/// Collective.
std::vector<Summary> summarise(const Solver& solver, const std::vector<Record>& records);

/// A number that differs if a bit of any value that loops modify does, whatever the number of
/// ranks. Collective.
unsigned long fingerprint(const Solver& solver);

}  // namespace hydra_chains
