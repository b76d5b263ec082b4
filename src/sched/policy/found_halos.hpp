// SPDX-License-Identifier: BSD-3-Clause
// Which halos a sequence of loops finds when it runs again: those that it has left itself, or what
// other sequences have made of them since. A schedule has a say in the former only.
#pragma once

#include <cstdint>
#include <vector>

#include <core/levels.hpp>
#include <core/queue.hpp>

namespace op2::sched {

/// Before an execution of one sequence.
struct FoundHalos {
  std::vector<core::Level> valid;  ///< of each dat of the mesh, by its index
  /// Of each dat: others have written it, or changed how far its halo is valid, since the sequence
  /// ran last. Empty: of none.
  std::vector<char> is_others = {};
  std::int64_t flush = 0;  ///< that finds them; 0: none yet

  /// Before an execution that follows one in some schedule.
  /// @param left  what that one leaves, of each dat
  std::vector<core::Level> after(std::vector<core::Level> left) const;
  /// Whether others have left other halos than at another time.
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
  std::vector<std::int64_t> changed_;  ///< the last flush that did, by dat
};

}  // namespace op2::sched
