// SPDX-License-Identifier: BSD-3-Clause
// The key of a plan, by which it is found when the same sequence is queued again.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <core/levels.hpp>
#include <core/queue.hpp>

namespace op2::sched {

/// The whole sequence, and the validity of its dats at the start, or of some the least.
struct PlanKey {
  std::vector<core::LoopRecord> records;  ///< call sites are not compared
  std::vector<core::LoopArg> args;
  std::vector<core::Dat*> dats;    ///< all dats of the sequence
  std::vector<core::Level> valid;  ///< of `dats`
  /// Whether the plan is the same if they are valid deeper; empty: of none.
  std::vector<char> may_be_deeper;
};

/// Of the sequence alone, for is_sequence_of.
PlanKey sequence_key(const core::Queue& queue);

/// @param valid  per dat of the mesh, by its index
PlanKey key_of(const core::Queue& queue, const std::vector<core::Level>& valid);

/// Whether it is the same sequence, whatever is valid.
bool is_sequence_of(const PlanKey& key, const core::Queue& queue);

/// Notes which dats may be valid deeper than they were: those that the sequence only reads, as it
/// was queued, if their halos were deep enough already. Then nothing is exchanged of them, and
/// deeper halos change no chain and no interior, and extents at most in that loops could run
/// further to be fused (widen.hpp).
/// @param exchanged  whether the plan exchanges layers of the dat
void note_deeper(PlanKey& key, const std::function<bool(const core::Dat&)>& exchanged);

/// Whether the plan was made for exactly this queue and this validity, or one that makes no
/// difference.
/// @param valid  per dat of the mesh, by its index
bool fits(const PlanKey& key, const core::Queue& queue, const std::vector<core::Level>& valid);

/// Equal for equal sequences. Cost O(arguments).
std::size_t hash_of(const core::Queue& queue);

}  // namespace op2::sched
