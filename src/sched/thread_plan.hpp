// SPDX-License-Identifier: BSD-3-Clause
// Which thread runs which iterations of a loop, and in which phase, so that no two threads touch
// the same row of a dat at the same time although increments go through maps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace op2::sched {

/// Elements [begin, end) of the loop's set.
struct Range {
  std::int64_t begin, end;
  friend bool operator==(const Range&, const Range&) = default;
};
using RunList = std::vector<Range>;

/// How the loop reaches rows of a dat: element e touches row index[e * stride] of a set of
/// `target_size` elements, or row e if `index` is null.
struct Touch {
  const std::int32_t* index;
  std::int64_t stride;
  std::int64_t target_size;
};

/// phases[p][t]: what thread t runs in phase p, ascending. Every phase has a list for each thread
/// and some work; the phases are separated by barriers. Empty without rows.
struct ThreadPlan {
  std::vector<std::vector<RunList>> phases;
};

/// Every target set is cut into one contiguous slab per thread. An iteration that touches one slab
/// runs in phase 0 on the slab's thread. Iterations that touch two slabs follow in rounds in which
/// each slab belongs to at most one pair; those that touch more run last, on one thread.
/// Without touches the rows are cut evenly. Cost O(rows * touches); memory O(runs + threads *
/// phases).
/// @param touches  one for each argument, of whatever access, of every dat that the loop modifies
///                 and reaches through a map; rows must lie inside their target sets
ThreadPlan plan_threads(Range rows, int threads, std::span<const Touch> touches);

/// All iterations in order on thread 0.
ThreadPlan plan_in_order(Range rows, int threads);

/// All iterations on one thread, the row with the lowest number first.
/// @param numbers  of the rows: distinct
ThreadPlan plan_by_number(std::span<const std::int32_t> numbers);

/// Whether two iterations touch the same row. With touches of one dat that the loop writes
/// (OP_WRITE, OP_RW) through a map: whether the result depends on the order of iterations.
/// Cost O(size * touches + target_size).
bool has_repeated_targets(std::int64_t size, std::span<const Touch> touches);

/// How well a plan uses its threads.
struct ThreadPlanStatistics {
  double first_phase;  ///< fraction of the iterations that wait for no barrier; 1 for an empty set
  double imbalance;    ///< longest path through the phases / (iterations / threads); at least 1
};
ThreadPlanStatistics statistics_of(const ThreadPlan& plan);

}  // namespace op2::sched
