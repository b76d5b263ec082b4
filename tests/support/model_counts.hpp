// SPDX-License-Identifier: BSD-3-Clause
// What a chain on ranks sends and executes, counted from the definitions: by levels, or exactly.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include <support/halo_model.hpp>

namespace op2::test {

/// Pairs (owner, receiver) that have something to tell each other in one exchange of a whole chain,
/// and rows that are sent and iterations, by the definitions.
struct ModelCounts {
  std::int64_t messages = 0, rows = 0, iterations = 0;
  bool operator==(const ModelCounts&) const = default;
};

inline ModelCounts count_model(const ModelMesh& mesh, ModelLevels& levels, const ModelChain& chain,
                               const core::ChainLevels& plan,
                               const std::vector<core::Level>& valid) {
  ModelCounts counts;
  std::set<std::pair<int, int>> pairs;
  for (int rank = 0; rank < mesh.ranks; ++rank) {
    for (std::size_t d = 0; d < valid.size(); ++d) {
      const int set = mesh.dat_sets[d];
      if (plan.need[d] <= std::max(valid[d], 0)) continue;
      for (int e = 0; e < mesh.set_sizes[set]; ++e)
        if (levels.of(rank, plan.need[d])[set][e] &&
            !levels.of(rank, std::max(valid[d], 0))[set][e]) {
          pairs.insert({mesh.owner[set][e], rank});
          ++counts.rows;
        }
    }
    for (std::size_t l = 0; l < chain.size(); ++l)
      if (plan.extent[l] != core::no_level)
        for (const char in : levels.of(rank, plan.extent[l])[chain[l].set])
          counts.iterations += in != 0 ? 1 : 0;
  }
  counts.messages = static_cast<std::int64_t>(pairs.size());
  return counts;
}

/// Exactly what one rank needs for a chain, by the definitions.
struct ModelExact {
  Members need;  ///< [dat][element]: must be right before
  Members runs;  ///< [loop][element]
};

inline ModelExact exact_in_model(const ModelMesh& mesh, int rank, const ModelChain& chain,
                                 const core::ChainLevels& plan) {
  ModelExact exact{{}, Members(chain.size())};
  const auto owned = [&](int set) {
    std::vector<char> in;
    for (const int owner : mesh.owner[set]) in.push_back(owner == rank ? 1 : 0);
    return in;
  };
  for (const int set : mesh.dat_sets) exact.need.push_back(owned(set));
  for (std::size_t l = chain.size(); l-- > 0;) {
    const ModelLoop& loop = chain[l];
    std::vector<char>& runs = exact.runs[l];
    runs.assign(mesh.set_sizes[loop.set], 0);
    if (plan.extent[l] == core::no_level) continue;
    const bool only_reads =
        std::ranges::all_of(loop.args, [](const ModelArg& arg) { return arg.access == OP_READ; });
    if (loop.reduction || only_reads) runs = owned(loop.set);
    for (const ModelArg& arg : loop.args)
      for (int e = 0; arg.access != OP_READ && e < std::ssize(runs); ++e)
        runs[e] |= exact.need[arg.dat][row_of(mesh, arg, e)];
    for (const ModelArg& arg : loop.args)
      for (int e = 0; arg.access == OP_WRITE && !arg.keeps && arg.map < 0 && e < std::ssize(runs);
           ++e)
        if (runs[e] != 0) exact.need[arg.dat][e] = 0;
    for (const ModelArg& arg : loop.args) {
      const bool reads = arg.access == OP_READ || arg.access == OP_RW || arg.keeps ||
                         (arg.access == OP_INC && arg.map < 0);
      for (int e = 0; reads && e < std::ssize(runs); ++e)
        if (runs[e] != 0) exact.need[arg.dat][row_of(mesh, arg, e)] = 1;
    }
  }
  return exact;
}

/// Counts of a chain that may be sliced (sched/analysis/slice.hpp).
inline ModelCounts count_sliced(const ModelMesh& mesh, ModelLevels& levels, const ModelChain& chain,
                                const core::ChainLevels& plan,
                                const std::vector<core::Level>& valid,
                                const ModelCounts& by_levels) {
  ModelCounts counts;
  std::set<std::pair<int, int>> pairs;
  std::int64_t rows[2] = {0, 0}, redundant[2] = {0, 0};  // exactly, and of levels
  bool exchanges = false;
  for (int rank = 0; rank < mesh.ranks; ++rank) {
    const ModelExact exact = exact_in_model(mesh, rank, chain, plan);
    for (std::size_t d = 0; d < valid.size(); ++d) {
      const int set = mesh.dat_sets[d];
      const core::Level from = std::max(valid[d], has_local_map(mesh, set) ? 2 : 0);
      if (plan.need[d] <= from) continue;
      exchanges = true;
      for (int e = 0; e < mesh.set_sizes[set]; ++e) {
        if (!levels.of(rank, plan.need[d])[set][e] || levels.of(rank, from)[set][e]) continue;
        ++rows[1];
        if (!exact.need[d][e]) continue;
        ++rows[0];
        pairs.insert({mesh.owner[set][e], rank});
        ++counts.rows;
      }
    }
    for (std::size_t l = 0; l < chain.size(); ++l)
      for (int e = 0; plan.extent[l] != core::no_level && e < mesh.set_sizes[chain[l].set]; ++e) {
        const bool is_redundant = mesh.owner[chain[l].set][e] != rank;
        counts.iterations += exact.runs[l][e];
        if (is_redundant) redundant[0] += exact.runs[l][e];
        if (is_redundant) redundant[1] += levels.of(rank, plan.extent[l])[chain[l].set][e];
      }
  }
  counts.messages = static_cast<std::int64_t>(pairs.size());
  const auto pays = [](const std::int64_t(&of)[2]) { return of[1] > 0 && 10 * of[0] <= 9 * of[1]; };
  return exchanges && (pays(rows) || pays(redundant)) ? counts : by_levels;
}

}  // namespace op2::test
