// SPDX-License-Identifier: BSD-3-Clause
#include <sched/tile_plan.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <tuple>

namespace op2::sched {
namespace {

/// A place in the schedule: a tile of a group in a phase. Numbers ascend with the phase, then the
/// group, then the order in which a group executes its tiles.
using Slot = std::int32_t;
constexpr Slot unknown = -1;

/// Groups of a phase run at the same time, each on one thread. The first phase has a group with
/// many tiles for each thread; every later phase has one group less, of one tile.
class Schedule {
 public:
  explicit Schedule(const TileShape& shape) : shape_(shape) {
    for (int phase = 0; phase < shape.threads; ++phase) {
      first_.push_back(slots());
      for (int group = 0; group < shape.threads - phase; ++group)
        places_.insert(places_.end(), phase == 0 ? shape.tiles : 1, {phase, group});
    }
  }

  Slot slots() const { return static_cast<Slot>(places_.size()); }
  int phase(Slot slot) const { return places_[static_cast<std::size_t>(slot)].phase; }
  int group(Slot slot) const { return places_[static_cast<std::size_t>(slot)].group; }

  /// The earliest slot in which everything is done that was done in `a` and in `b`.
  Slot after(Slot a, Slot b) const {
    if (a == b) return a;
    const Place &pa = places_[static_cast<std::size_t>(a)],
                &pb = places_[static_cast<std::size_t>(b)];
    if (pa.phase != pb.phase || pa.group == pb.group) return std::max(a, b);
    return first_[static_cast<std::size_t>(pa.phase) + 1] + std::min(pa.group, pb.group);
  }

  /// The tile of the first phase in which row `row` of `rows` is at home.
  Slot home_of(std::int64_t row, std::int64_t rows) const {
    return static_cast<Slot>(row * first_phase() / rows);
  }
  std::int64_t first_phase() const { return std::int64_t{shape_.threads} * shape_.tiles; }

 private:
  struct Place {
    int phase, group;
  };
  TileShape shape_;
  std::vector<Place> places_;
  std::vector<Slot> first_;  ///< of each phase
};

using Slots = std::vector<Slot>;  ///< of the rows of a set

/// Rows that have no tile yet get that of a row close to them.
void follow(const TileLink& link, std::vector<Slots>& homes) {
  Slots& from = homes[static_cast<std::size_t>(link.from)];
  Slots& to = homes[static_cast<std::size_t>(link.to)];
  const std::int32_t* row = link.entries;
  for (std::int64_t element = 0; element < link.rows; ++element, row += link.arity) {
    Slot& own = from[static_cast<std::size_t>(element)];
    for (int k = 0; k < link.arity && own == unknown; ++k)
      own = to[static_cast<std::size_t>(row[k])];
    if (own == unknown) continue;
    for (int k = 0; k < link.arity; ++k)
      if (Slot& there = to[static_cast<std::size_t>(row[k])]; there == unknown) there = own;
  }
}

/// The order in which a thread executes its tiles, by their place in the home set.
Slots order_of_tiles(const TileShape& shape) {
  Slots order(static_cast<std::size_t>(shape.threads) * static_cast<std::size_t>(shape.tiles));
  std::iota(order.begin(), order.end(), 0);
  if (shape.shuffled == 0) return order;
  std::mt19937_64 random(shape.shuffled);
  for (auto own = order.begin(); own != order.end(); own += shape.tiles)
    std::shuffle(own, own + shape.tiles, random);
  return order;
}

/// The tile in which each row of each set is at home.
std::vector<Slots> homes_of(const TileProblem& problem, const TileShape& shape,
                            const Schedule& schedule) {
  std::vector<Slots> homes;
  for (const std::int64_t size : problem.sizes)
    homes.emplace_back(static_cast<std::size_t>(size), unknown);
  const Slots order = order_of_tiles(shape);
  Slots& home = homes[static_cast<std::size_t>(problem.home)];
  for (std::int64_t row = 0; row < problem.home_rows; ++row)
    home[static_cast<std::size_t>(row)] =
        order[static_cast<std::size_t>(schedule.home_of(row, problem.home_rows))];
  // Twice, because a set may be reached through one that comes later.
  for (int pass = 0; pass < 2; ++pass)
    for (const TileLink& link : problem.links) follow(link, homes);
  for (Slots& slots : homes)
    for (std::size_t row = 0; row < slots.size(); ++row)
      if (slots[row] == unknown)
        slots[row] = order[static_cast<std::size_t>(
            schedule.home_of(static_cast<std::int64_t>(row), std::ssize(slots)))];
  return homes;
}

/// Iterations of one loop by slot.
using RunsBySlot = std::vector<std::vector<TileRun>>;

void append(RunsBySlot& runs, Slot slot, std::int64_t element) {
  auto& own = runs[static_cast<std::size_t>(slot)];
  const auto e = static_cast<std::int32_t>(element);
  if (!own.empty() && own.back().end == e)
    ++own.back().end;
  else
    own.push_back({e, e + 1});
}

/// Assigns iterations to slots, loop by loop.
class Inspector {
 public:
  Inspector(const TileProblem& problem, const TileShape& shape)
      : schedule_(shape),
        done_(homes_of(problem, shape, schedule_)),
        versions_(problem.sizes.size(), 0) {
    for (const TileLoop& loop : problem.loops) runs_.push_back(inspect(loop));
  }

  const Schedule& schedule() const { return schedule_; }
  const RunsBySlot& runs_of(std::size_t loop) const { return *runs_[loop]; }

 private:
  using SharedRuns = std::shared_ptr<const RunsBySlot>;

  SharedRuns inspect(const TileLoop& loop) {
    const bool through_maps = std::ranges::any_of(
        loop.touches, [](const TileTouch& touch) { return touch.index != nullptr; });
    return through_maps ? inspect_targets(loop) : inspect_own_rows(loop);
  }

  /// Iterations that touch at most their own rows follow them; nothing moves.
  SharedRuns inspect_own_rows(const TileLoop& loop) {
    const auto set = static_cast<std::size_t>(loop.set);
    SharedRuns& known = own_rows_[{loop.set, versions_[set], loop.rows.begin, loop.rows.end}];
    if (known == nullptr) {
      auto runs = std::make_shared<RunsBySlot>(schedule_.slots());
      for (std::int64_t element = loop.rows.begin; element < loop.rows.end; ++element)
        append(*runs, done_[set][static_cast<std::size_t>(element)], element);
      known = std::move(runs);
    }
    return known;
  }

  SharedRuns inspect_targets(const TileLoop& loop) {
    std::vector<View> views;
    for (const TileTouch& touch : loop.touches) {
      next_[touch.set] = done_[static_cast<std::size_t>(touch.set)];
      ++versions_[static_cast<std::size_t>(touch.set)];
    }
    for (const TileTouch& touch : loop.touches)
      views.push_back({touch.index, touch.stride, done_[static_cast<std::size_t>(touch.set)].data(),
                       next_[touch.set].data()});
    auto runs = std::make_shared<RunsBySlot>(schedule_.slots());
    for (std::int64_t element = loop.rows.begin; element < loop.rows.end; ++element)
      append(*runs, place(views, element), element);
    for (auto& [set, slots] : next_) done_[static_cast<std::size_t>(set)].swap(slots);
    next_.clear();
    return runs;
  }

  /// What a touch reads and writes: where rows were touched last before the loop, and after it.
  struct View {
    const std::int32_t* index;
    std::int64_t stride;
    const Slot* before;
    Slot* after;
    std::int64_t row(std::int64_t element) const {
      return index == nullptr ? element : index[element * stride];
    }
  };

  /// Iterations of the loop may meet in a row. In the first phase they are then of one group,
  /// because the row is at home there; so they need not wait for each other. Later phases have no
  /// such home: there, the first iteration decides for the others.
  Slot place(const std::vector<View>& views, std::int64_t element) const {
    Slot slot = views[0].before[views[0].row(element)];
    for (std::size_t k = 1; k < views.size(); ++k)
      slot = schedule_.after(slot, views[k].before[views[k].row(element)]);
    if (slot >= schedule_.first_phase())
      for (Slot before = unknown; before != slot;) {
        before = slot;
        for (const View& view : views)
          if (const Slot there = view.after[view.row(element)]; there >= schedule_.first_phase())
            slot = schedule_.after(slot, there);
      }
    for (const View& view : views) {
      Slot& there = view.after[view.row(element)];
      there = schedule_.after(there, slot);
    }
    return slot;
  }

  Schedule schedule_;
  std::vector<Slots> done_;    ///< of each set and row: the last slot that touches it
  std::map<int, Slots> next_;  ///< the same after the loop that is being inspected
  std::vector<int> versions_;  ///< of each set: changes whenever its slots do
  std::map<std::tuple<int, int, std::int64_t, std::int64_t>, SharedRuns> own_rows_;
  std::vector<SharedRuns> runs_;  ///< of each loop
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
  if (count > 0) items.push_back({static_cast<std::int32_t>(loop), first, count, counts});
}

}  // namespace

TilePlan plan_tiles(const TileProblem& problem, const TileShape& shape) {
  const Inspector inspector(problem, shape);
  const Schedule& schedule = inspector.schedule();
  TilePlan plan;
  for (Slot slot = 0; slot < schedule.slots(); ++slot) {
    const auto phase = static_cast<std::size_t>(schedule.phase(slot));
    if (phase == plan.phases.size()) plan.phases.emplace_back(shape.threads);
    auto& items = plan.phases[phase][static_cast<std::size_t>(schedule.group(slot))];
    for (std::size_t loop = 0; loop < problem.loops.size(); ++loop)
      for (const bool counts : {true, false})
        add_item(inspector.runs_of(loop)[static_cast<std::size_t>(slot)], loop,
                 problem.loops[loop].border, counts, plan, items);
  }
  std::erase_if(plan.phases, [](const auto& threads) {
    return std::ranges::all_of(threads, [](const auto& items) { return items.empty(); });
  });
  plan.runs.shrink_to_fit();
  return plan;
}

TileStatistics statistics_of(const TilePlan& plan) {
  std::int64_t all = 0, first = 0, items = 0, tiles = 0;
  for (const auto& phase : plan.phases) {
    for (const auto& thread : phase)
      for (const TileItem& item : thread) {
        ++items;
        if (&phase == &plan.phases.front() &&
            (&item == &thread.front() || item.loop < (&item)[-1].loop))
          ++tiles;
        for (std::uint32_t k = item.first_run; k < item.first_run + item.runs; ++k)
          all += plan.runs[k].end - plan.runs[k].begin;
      }
    if (&phase == &plan.phases.front()) first = all;
  }
  if (all == 0) return {0, 0, 1, 0, 0};
  const auto total = static_cast<double>(all);
  return {all, tiles, static_cast<double>(first) / total,
          total / static_cast<double>(plan.runs.size()), total / static_cast<double>(items)};
}

}  // namespace op2::sched
