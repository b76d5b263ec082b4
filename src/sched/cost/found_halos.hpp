// SPDX-License-Identifier: BSD-3-Clause
// Which halos a sequence of loops finds when it runs again: those that it has left itself, or what
// other sequences have made of them since. Halos of dats that other sequences have written do not
// depend on its schedule. What a program changes between flushes counts as of the flush before.
#pragma once

#include <cstdint>
#include <vector>

#include <core/levels.hpp>
#include <core/queue.hpp>

namespace op2::sched {

/// Before an execution of one sequence.
struct FoundHalos {
  enum class Change : char {
    none,       ///< since the sequence ran last
    exchanged,  ///< by others, so that its halo is valid further
    written     ///< by others
  };
  std::vector<core::Level> valid;  ///< of each dat of the mesh, by its index
  /// Of each dat that the sequence uses; none of the others. Empty: none at all.
  std::vector<Change> changes = {};
  std::int64_t flush = 0;  ///< that finds them; 0: none yet

  /// Before an execution that follows one in some schedule.
  /// @param left  what that one leaves, of each dat
  std::vector<core::Level> after(std::vector<core::Level> left) const;
  /// Whether the halos of dats that others have written are others than at another time. Those that
  /// they only exchange depend on what the sequence leaves.
  bool differ_by_others(const FoundHalos& before) const;
};

/// The flushes of a program, as far as they change halos. Local.
class HaloHistory {
 public:
  /// Before a flush. Cost: the arguments of the flush, and the dats of the mesh.
  /// @param valid  of each dat of the mesh, by its index
  /// @param found  as the sequence that is flushed found them last; now as it finds them
  void begin(const core::Queue& queue, const std::vector<core::Level>& valid, FoundHalos& found);

 private:
  std::int64_t flush_ = 0;
  std::vector<core::Level> valid_;
  std::vector<std::int64_t> written_, changed_;  ///< the last flush that did, by dat
};

}  // namespace op2::sched
