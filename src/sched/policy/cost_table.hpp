// SPDX-License-Identifier: BSD-3-Clause
// Measured costs of loops and messages as a small file beside the code of loops, so that the next
// run of a program begins with what this one has found.
#pragma once

#include <compare>
#include <map>
#include <string>
#include <string_view>

#include <sched/policy/chain_model.hpp>

namespace op2::sched {

/// Where ranks run, as far as the cost of messages depends on it.
struct Placement {
  int ranks = 1;
  int on_first_node = 1;  ///< of them, those on the node of the root
  auto operator<=>(const Placement&) const = default;
};

struct CostTable {
  std::map<std::string, LoopCost> loops;  ///< by identity_of; all are non-negative, or -1
  std::map<Placement, Network> networks;  ///< links as measured, the same for all distances

  bool empty() const { return loops.empty() && networks.empty(); }
};

/// More of either kind would not be a small file.
inline constexpr std::size_t most_loops = 4096, most_networks = 64;

/// Adds or replaces a network; if there are the most already, instead of that of the smallest job.
void keep(const Placement& placement, const Network& network, CostTable& table);

/// As text: a line with the version, a line per loop and network, and a checksum. Absurd costs are
/// left out, and networks beyond the most.
std::string text_of(const CostTable& table);

/// @param problem  gets what is wrong with the text, if anything is; then the table is empty
CostTable table_from(std::string_view text, std::string& problem);

/// The table of a cache directory; empty if there is none, if it is damaged, or if others could
/// have written it (jit/cache_directory.hpp).
/// @param problem  why it is not used, with the path; empty also if there is none
CostTable read_costs(const std::string& directory, std::string& problem);

/// Replaces the table of a cache directory as a whole. @return why that failed; empty: it did not
std::string write_costs(const std::string& directory, const CostTable& table);

}  // namespace op2::sched
