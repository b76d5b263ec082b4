// SPDX-License-Identifier: BSD-3-Clause
// What the ranks agree on before they choose a schedule: the greatest costs that any of them has
// measured, the slowest network, the largest halos.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <comm/halo/distributed_mesh.hpp>
#include <comm/messages/communicator.hpp>
#include <core/queue.hpp>
#include <core/topology.hpp>
#include <sched/policy/chain_model.hpp>
#include <sched/policy/halo_sizes.hpp>

namespace op2::sched {

/// Sizes of which the ranks have agreed on some already.
struct RankSizes {
  HaloSizes sizes;
  int arrangement = 0;                        ///< of the rows, see comm::DistributedMesh
  core::Level agreed = HaloSizes::no_levels;  ///< levels up to this one are those of all ranks
};

/// So that the size of a level travels once.
class AgreedSizes {
 public:
  /// Those of this rank, where no others are agreed. Local; uniform in `agreed`.
  RankSizes of(const comm::DistributedMesh& rows) const;
  /// After an agreement, even if rows have been arranged otherwise since they were this rank's.
  void keep(const RankSizes& sizes) { last_ = sizes; }

 private:
  RankSizes last_{{}, -1};
};

struct PolicyInputs {
  std::vector<LoopCost> costs;  ///< per record
  Network network;
  double plan_seconds = 0;
  RankSizes of_rows;
  core::Caches caches;  ///< bytes
  int threads = 1;      ///< of a rank
};

/// Loops over sets that have no elements on any rank cost nothing. After an agreement.
void know_empty_loops(const core::Queue& queue, PolicyInputs& inputs);

/// The greatest of each number over the ranks; of a cost that some rank has measured, the greatest
/// that was measured. Collective: one reduction.
void agree(comm::Communicator& ranks, PolicyInputs& inputs);

/// The same by a reduction of somebody else: its words, of which the greatest are wanted, and what
/// has come of them. @param words  as many
std::vector<std::int64_t> words_of(PolicyInputs& inputs);
void take(std::span<const std::int64_t> words, PolicyInputs& inputs);

/// Seconds as integers for a reduction: ranks must agree on every bit.
std::int64_t to_word(double seconds);
double from_word(std::int64_t word);

}  // namespace op2::sched
