// SPDX-License-Identifier: BSD-3-Clause
// Measured costs of loops as a small file beside their code, so that the next run of a program
// begins with what this one has found.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include <sched/policy/chain_model.hpp>

namespace op2::sched {

/// Costs by the identity of the loop (identity_of). All are non-negative, or -1.
using CostTable = std::map<std::string, LoopCost>;

/// More would not be a small file; the others are left out.
inline constexpr std::size_t most_costs = 4096;

/// As text: a line with the version, a line per loop, and a checksum.
std::string text_of(const CostTable& table);

/// @param problem  gets what is wrong with the text, if anything is; then the table is empty
CostTable table_from(std::string_view text, std::string& problem);

/// The table of a cache directory; empty if there is none, or if it is damaged.
/// @param problem  as for table_from, with the path
CostTable read_costs(const std::string& directory, std::string& problem);

/// Replaces the table of a cache directory as a whole. @return why that failed; empty: it did not
std::string write_costs(const std::string& directory, const CostTable& table);

}  // namespace op2::sched
