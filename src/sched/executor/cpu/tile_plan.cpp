// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cpu/tile_plan.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <tuple>
#include <utility>

namespace op2::sched {
namespace {

/// A position in the schedule: a tile of a group in a stage. Numbers ascend with the stage, then
/// the group, then the order in which a group executes its tiles.
using Slot = std::int32_t;
constexpr Slot unknown = -1;

/// Groups of a stage run at the same time, each on one thread. The first stage has a group with
/// many tiles for each thread; every later stage has one group less, of one tile.
class Schedule {
 public:
  explicit Schedule(const TileShape& shape) : shape_(shape) {
    for (int stage = 0; stage < shape.threads; ++stage) {
      first_.push_back(slots());
      for (int group = 0; group < shape.threads - stage; ++group)
        positions_.insert(positions_.end(), stage == 0 ? shape.tiles : 1, {stage, group});
    }
  }

  Slot slots() const { return static_cast<Slot>(positions_.size()); }
  int stage(Slot slot) const { return positions_[slot].stage; }
  int group(Slot slot) const { return positions_[slot].group; }

  /// The earliest slot after whatever was done in `a` and in `b`.
  Slot after(Slot a, Slot b) const {
    if (a == b) return a;
    const Position &pa = positions_[a], &pb = positions_[b];
    if (pa.stage != pb.stage || pa.group == pb.group) return std::max(a, b);
    return first_[pa.stage + 1] + std::min(pa.group, pb.group);
  }

  /// The home tile of row `row` of `rows`, in the first stage.
  Slot home_of(std::int64_t row, std::int64_t rows) const {
    // A border inside a cache line (of 8 rows of 8 bytes) slows the tiles on both sides down.
    const std::int64_t line = rows >= 64 * first_stage() ? 8 : 1;
    return static_cast<Slot>(row / line * first_stage() / ((rows + line - 1) / line));
  }
  std::int64_t first_stage() const { return std::int64_t{shape_.threads} * shape_.tiles; }

 private:
  struct Position {
    int stage, group;
  };
  TileShape shape_;
  std::vector<Position> positions_;
  std::vector<Slot> first_;  ///< of each stage
};

using Slots = std::vector<Slot>;  ///< of the rows of a set

bool accesses_own_rows_only(const TileLoop& loop) {
  return std::ranges::all_of(loop.accesses,
                             [](const RowAccess& access) { return access.index == nullptr; });
}

/// Rows without a home get that of a row close to them.
void follow(const TileLink& link, std::vector<Slots>& homes) {
  Slots& from = homes[link.from];
  Slots& to = homes[link.to];
  const std::int32_t* row = link.entries;
  for (std::int64_t element = 0; element < link.rows; ++element, row += link.arity) {
    Slot& own = from[element];
    for (int k = 0; k < link.arity && own == unknown; ++k) own = to[row[k]];
    if (own == unknown) continue;
    for (int k = 0; k < link.arity; ++k)
      if (Slot& there = to[row[k]]; there == unknown) there = own;
  }
}

/// The order in which a thread executes its tiles, by their position in the home set.
Slots order_of_tiles(const TileShape& shape) {
  Slots order(static_cast<std::size_t>(shape.threads) * static_cast<std::size_t>(shape.tiles));
  std::iota(order.begin(), order.end(), 0);
  if (shape.shuffled == 0) return order;
  std::mt19937_64 random(shape.shuffled);
  for (auto own = order.begin(); own != order.end(); own += shape.tiles)
    std::shuffle(own, own + shape.tiles, random);
  return order;
}

/// Whether any access needs the home tiles of the set.
bool is_asked_for(const TileProblem& problem, int set) {
  return std::ranges::any_of(problem.loops, [&](const TileLoop& loop) {
    return accesses_own_rows_only(loop)
               ? loop.set == set
               : std::ranges::any_of(loop.accesses,
                                     [&](const RowAccess& access) { return access.set == set; });
  });
}

/// The home tile of each row, for sets that need it.
std::vector<Slots> homes_of(const TileProblem& problem, const TileShape& shape,
                            const Schedule& schedule) {
  std::vector<Slots> homes(problem.sizes.size());
  std::vector<int> others;
  for (int set = 0; set < std::ssize(homes); ++set)
    if (set != problem.home && is_asked_for(problem, set)) others.push_back(set);
  const auto home_size = problem.sizes[problem.home];
  const bool needs_others = !others.empty() || problem.home_rows < home_size;
  for (int set = 0; set < std::ssize(homes); ++set)
    if (set == problem.home || needs_others) homes[set].assign(problem.sizes[set], unknown);
  const Slots order = order_of_tiles(shape);
  const auto by_position = [&](std::int64_t row, std::int64_t rows) {
    return order[schedule.home_of(row, rows)];
  };
  Slots& home = homes[problem.home];
  for (std::int64_t row = 0; row < problem.home_rows; ++row)
    home[row] = by_position(row, problem.home_rows);
  if (!needs_others) return homes;
  // Twice, because a set may be accessed through one that comes later.
  for (int pass = 0; pass < 2; ++pass)
    for (const TileLink& link : problem.links) follow(link, homes);
  for (Slots& slots : homes)
    for (std::int64_t row = 0; row < std::ssize(slots); ++row)
      if (slots[row] == unknown) slots[row] = by_position(row, std::ssize(slots));
  return homes;
}

/// Iterations of one loop by slot.
using RunsBySlot = std::vector<std::vector<TileRun>>;

/// @param slot_of  of each iteration; called in ascending order
template <class SlotOf>
std::shared_ptr<const RunsBySlot> group(IndexRange rows, Slot slots, const SlotOf& slot_of) {
  auto runs = std::make_shared<RunsBySlot>(slots);
  if (rows.begin >= rows.end) return runs;
  Slot slot = slot_of(rows.begin);
  std::int64_t begin = rows.begin;
  const auto close = [&](std::int64_t end) {
    (*runs)[slot].push_back({static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end)});
    begin = end;
  };
  for (std::int64_t element = begin + 1; element < rows.end; ++element) {
    const Slot next = slot_of(element);
    if (next == slot) continue;
    close(element);
    slot = next;
  }
  close(rows.end);
  return runs;
}

/// Assigns iterations to slots, loop by loop.
class Inspector {
 public:
  Inspector(const TileProblem& problem, const TileShape& shape)
      : schedule_(shape),
        before_(homes_of(problem, shape, schedule_)),
        after_(before_),
        versions_(problem.sizes.size(), 0) {
    for (const TileLoop& loop : problem.loops) {
      runs_.push_back(accesses_own_rows_only(loop) ? inspect_own_rows(loop)
                                                   : inspect_targets(loop));
      count(loop, *runs_.back());
      if (too_short(shape)) return;
    }
  }

  /// Whether the inspection ended early because runs are too short, or too many for a plan.
  bool too_short(const TileShape& shape) const {
    constexpr std::int64_t few = 10'000;  // iterations that are not representative
    constexpr std::int64_t most_runs = std::numeric_limits<std::int32_t>::max();
    if (count_of_runs_ > most_runs) return true;
    return iterations_ > few && iterations_ < shape.least_run * static_cast<double>(count_of_runs_);
  }

  const Schedule& schedule() const { return schedule_; }
  const RunsBySlot& runs_of(std::size_t loop) const { return *runs_[loop]; }

 private:
  using SharedRuns = std::shared_ptr<const RunsBySlot>;

  void count(const TileLoop& loop, const RunsBySlot& runs) {
    iterations_ += static_cast<double>(loop.rows.end - loop.rows.begin);
    for (const auto& some : runs) count_of_runs_ += std::ssize(some);
  }

  /// What the inspection of an access reads and writes.
  struct View {
    const std::int32_t* index;
    std::int64_t stride;
    const Slot* before;
    Slot* after;
    std::size_t set;
    std::int64_t row(std::int64_t element) const {
      return index == nullptr ? element : index[element * stride];
    }
  };

  /// Iterations that access at most their own rows run in the tile of these; no row changes its
  /// tile.
  SharedRuns inspect_own_rows(const TileLoop& loop) {
    const std::size_t set = loop.set;
    SharedRuns& known = own_rows_[{loop.set, versions_[set], loop.rows.begin, loop.rows.end}];
    if (known == nullptr) {
      const Slot* slots = before_[set].data();
      known =
          group(loop.rows, schedule_.slots(), [=](std::int64_t element) { return slots[element]; });
    }
    return known;
  }

  SharedRuns inspect_targets(const TileLoop& loop) {
    std::vector<View> views;
    for (const RowAccess& access : loop.accesses) {
      const std::size_t set = access.set;
      views.push_back({access.index, access.stride, before_[set].data(), after_[set].data(), set});
    }
    const SharedRuns runs = views.size() == 1   ? group_by_slot<1>(loop, views)
                            : views.size() == 2 ? group_by_slot<2>(loop, views)
                            : views.size() == 4 ? group_by_slot<4>(loop, views)
                                                : group_by_slot<0>(loop, views);
    for (const auto& [set, row] : changed_) {
      before_[set][row] = after_[set][row];
      ++versions_[set];
    }
    changed_.clear();
    return runs;
  }

  /// For most iterations all rows are in one tile of the first stage, and no row changes its tile.
  /// @tparam accesses  their number, or 0: any
  template <std::size_t accesses>
  Slot slot_of(const std::vector<View>& views, std::int64_t element) {
    const View* view = views.data();
    const Slot first = view->before[view->row(element)];
    bool together = first < schedule_.first_stage();
    for (std::size_t k = 1; k < (accesses > 0 ? accesses : views.size()); ++k)
      together = together && view[k].before[view[k].row(element)] == first;
    return together ? first : move(views, element, first);
  }

  template <std::size_t accesses>
  SharedRuns group_by_slot(const TileLoop& loop, const std::vector<View>& views) {
    return group(loop.rows, schedule_.slots(),
                 [&](std::int64_t element) { return slot_of<accesses>(views, element); });
  }

  /// Iterations of the loop may share a row. In the first stage they are then in one group, the
  /// row's home, and need not wait for each other. In later stages, where rows have no home, the
  /// first iteration decides for the others.
  Slot move(const std::vector<View>& views, std::int64_t element, Slot slot) {
    for (const View& view : views) slot = schedule_.after(slot, view.before[view.row(element)]);
    if (slot >= schedule_.first_stage())
      for (Slot last = unknown; last != slot;) {
        last = slot;
        for (const View& view : views)
          if (const Slot there = view.after[view.row(element)]; there >= schedule_.first_stage())
            slot = schedule_.after(slot, there);
      }
    for (const View& view : views) {
      const std::int64_t row = view.row(element);
      const Slot later = schedule_.after(view.after[row], slot);
      if (later == view.after[row]) continue;
      view.after[row] = later;
      changed_.push_back({view.set, static_cast<std::size_t>(row)});
    }
    return slot;
  }

  Schedule schedule_;
  /// The last slot that accesses each row of each set: before the loop that is being inspected, and
  /// including it. Equal between loops.
  std::vector<Slots> before_, after_;
  std::vector<std::pair<std::size_t, std::size_t>> changed_;  ///< sets and rows where they differ
  std::vector<std::int64_t> versions_;  ///< of each set: changes whenever its slots do
  std::map<std::tuple<int, std::int64_t, std::int64_t, std::int64_t>, SharedRuns> own_rows_;
  std::vector<SharedRuns> runs_;  ///< of each loop
  double iterations_ = 0;
  std::int64_t count_of_runs_ = 0;
};

/// Appends the runs on one side of the border as an item.
void add_item(const std::vector<TileRun>& runs, std::size_t loop, std::int64_t border, bool counts,
              TilePlan& plan, std::vector<TileItem>& items) {
  const auto first = static_cast<std::uint32_t>(plan.runs.size());
  const auto limit = static_cast<std::int32_t>(border);
  for (const TileRun& run : runs) {
    const TileRun part = counts ? TileRun{run.begin, std::min(run.end, limit)}
                                : TileRun{std::max(run.begin, limit), run.end};
    if (part.begin < part.end) plan.runs.push_back(part);
  }
  const auto count = static_cast<std::uint32_t>(plan.runs.size()) - first;
  if (count > 0)
    items.push_back({static_cast<std::int32_t>(loop), first, count, counts, plan.items++});
}

}  // namespace

TilePlan plan_tiles(const TileProblem& problem, const TileShape& shape) {
  const Inspector inspector(problem, shape);
  const Schedule& schedule = inspector.schedule();
  TilePlan plan;
  if (inspector.too_short(shape)) return plan;
  for (Slot slot = 0; slot < schedule.slots(); ++slot) {
    const std::size_t stage = schedule.stage(slot);
    if (stage == plan.stages.size()) plan.stages.emplace_back(shape.threads);
    auto& items = plan.stages[stage][schedule.group(slot)];
    for (std::size_t loop = 0; loop < problem.loops.size(); ++loop)
      for (const bool counts : {true, false})
        add_item(inspector.runs_of(loop)[slot], loop, problem.loops[loop].border, counts, plan,
                 items);
  }
  std::erase_if(plan.stages, [](const auto& threads) {
    return std::ranges::all_of(threads, [](const auto& items) { return items.empty(); });
  });
  plan.runs.shrink_to_fit();
  return plan;
}

TileStatistics statistics_of(const TilePlan& plan) {
  std::int64_t all = 0, first = 0, items = 0, tiles = 0;
  for (const auto& stage : plan.stages) {
    for (const auto& thread : stage)
      for (const TileItem& item : thread) {
        ++items;
        if (&stage == &plan.stages.front() &&
            (&item == &thread.front() || item.loop < (&item)[-1].loop))
          ++tiles;
        for (std::uint32_t k = item.first_run; k < item.first_run + item.runs; ++k)
          all += plan.runs[k].end - plan.runs[k].begin;
      }
    if (&stage == &plan.stages.front()) first = all;
  }
  if (all == 0) return {0, 0, 1, 0, 0};
  const auto total = static_cast<double>(all);
  return {all, tiles, static_cast<double>(first) / total,
          total / static_cast<double>(plan.runs.size()), total / static_cast<double>(items)};
}

}  // namespace op2::sched
