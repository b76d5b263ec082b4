// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cpu/tiles.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <numeric>
#include <random>
#include <set>
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
  bool needs_others = problem.home_rows < problem.sizes[problem.home];
  for (int set = 0; set < std::ssize(homes); ++set)
    needs_others = needs_others || (set != problem.home && is_asked_for(problem, set));
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
    const Slot* before;
    Slot* after;
    RowAccess access;
    std::int64_t row(std::int64_t element) const { return access.row_of(element); }
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
    for (const RowAccess& access : loop.accesses)
      views.push_back({before_[access.set].data(), after_[access.set].data(), access});
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
      changed_.emplace_back(view.access.set, row);
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

namespace {

/// A tile shares its core's cache with indices and with data of the next tile.
constexpr double usable_cache = 0.75;

/// With a large shared cache, tiles may fill this fraction of a thread's share of it: longer index
/// ranges of each loop gain more than the faster cache. The rest is for other programs and for
/// errors in the estimated footprint.
constexpr double usable_share = 1.0 / 12;

/// Smaller gains in traffic are lost by short index ranges and by waiting for the second stage: the
/// loops between two exchanges of Airfoil, which gain 1.3 to 1.4, took 4 to 12 % longer in tiles
/// with data of half to all of the shared cache, and as long with three times as much.
constexpr double least_gain = 1.5;

/// Smaller tiles consist of their border.
constexpr std::int64_t least_rows = 512;

template <class T>
T& at(std::vector<T>& all, std::size_t index) {
  if (index >= all.size()) all.resize(index + 1);
  return all[index];
}

}  // namespace

void StepTraffic::add(std::span<const std::span<const core::LoopArg>> loops, const op_set_core& set,
                      double iterations) {
  if (iterations <= 0) return;
  ++steps_;
  used_.clear();
  for (const auto& args : loops)
    for (const core::LoopArg& arg : args) {
      if (!arg.active) continue;
      if (arg.is_indirect()) use(*arg.map, iterations);
      if (arg.is_active_dat()) use(arg, iterations);
    }
  const double elements = std::max(1.0, rows_[set.index]);  // of all phases
  for (const core::Dat* dat : used_) {
    Use& use = dats_[dat->index];
    const double rows = rows_[use.set];
    loop_by_loop_ += std::min(rows, use.args * elements) * dat->size *
                     (int{use.reads} + int{use.modifies}) * iterations / elements;
    use.reached = std::max(use.reached, std::min(rows, iterations) * dat->size);
    use.is_modified |= use.modifies;
  }
}

void StepTraffic::use(const op_map_core& map, double iterations) {
  MapUse& use = at(maps_, map.index);
  const double bytes = iterations * map.dim * double{sizeof(std::int32_t)};
  if (std::exchange(use.step, steps_) != steps_) loop_by_loop_ += bytes;
  use.reached = std::max(use.reached, bytes);
}

void StepTraffic::use(const core::LoopArg& arg, double iterations) {
  Use& use = at(dats_, arg.dat->index);
  if (std::exchange(use.step, steps_) != steps_) {
    use.reads = use.modifies = false;
    use.is_fresh = arg.access == OP_WRITE && !arg.is_indirect();
    use.args = 0;
    use.set = arg.dat->set->index;
    used_.push_back(arg.dat);
  }
  use.reads |= arg.access != OP_WRITE && !use.is_fresh;
  use.modifies |= arg.modifies();
  ++use.args;
  use.accesses += iterations;
}

TileTraffic StepTraffic::sum() const {
  TileTraffic traffic{loop_by_loop_, 0, 0, 0};
  std::vector<double> accesses(rows_.size(), 0);
  for (const Use& use : dats_) {
    traffic.footprint += use.reached;
    traffic.once += use.is_modified ? 2 * use.reached : use.reached;
    if (use.is_modified) accesses[use.set] += use.accesses;
  }
  for (const MapUse& use : maps_) traffic.footprint += use.reached, traffic.once += use.reached;
  const auto home = std::ranges::max_element(accesses) - accesses.begin();
  traffic.home_rows = static_cast<std::int64_t>(rows_[home]);
  return traffic;
}

int tiles_per_thread(const TileTraffic& traffic, const core::Caches& caches, int threads) {
  const auto shared = static_cast<double>(caches.shared), own = static_cast<double>(caches.own);
  if (traffic.footprint < shared / 2 || traffic.footprint < own * threads) return 0;
  if (traffic.loop_by_loop < least_gain * traffic.once) return 0;
  const double share = traffic.footprint / threads;
  const double room = std::max(usable_cache * own, usable_share * shared / threads);
  const auto tiles = static_cast<std::int64_t>(std::ceil(share / room));
  const std::int64_t most = traffic.home_rows / (threads * least_rows);
  return std::min(tiles, most) < 2 ? 0 : static_cast<int>(std::min(tiles, most));
}

namespace {

/// Shorter index ranges cost more, by calls and by iterations that fill no vector, than tiles gain.
constexpr double least_run = 16;

using StepNumbers = std::vector<std::size_t>;

bool can_be_tiled(const Plan& plan, std::size_t s, Phase phase) {
  const Step& step = plan.steps.all[s];
  return plan.code[s].compiled != nullptr && step.order == Order::any &&
         step.colouring == nullptr && step.iterations(phase) == step.rows(phase).size();
}

/// Groups of adjacent steps that may be tiled in a phase. Steps that run on the host, in order, in
/// colours or only some rows of the phase separate them; steps without iterations in it do not.
std::vector<StepNumbers> groups_for_tiles(const Plan& plan, std::size_t chain, Phase phase) {
  std::vector<StepNumbers> all(1);
  for (const std::size_t s : plan.steps.of(chain)) {
    const Step& step = plan.steps.all[s];
    if (!step.runs() || step.iterations(phase) == 0) continue;
    if (can_be_tiled(plan, s, phase))
      all.back().push_back(s);
    else
      all.emplace_back();
  }
  std::erase_if(all, [](const StepNumbers& group) { return group.size() < 2; });
  return all;
}

/// Describes steps as loops of a tile problem.
class ProblemBuilder {
 public:
  ProblemBuilder(const Plan& plan, const StepNumbers& steps, Phase phase) : phase_(phase) {
    for (const std::size_t s : steps) steps_.push_back(&plan.steps.all[s]);
    for (const Step* step : steps_)
      for (const core::LoopArg& arg : step->args)
        if (arg.modifies_dat()) modified_.insert(arg.dat);
    for (const Step* step : steps_) add_loop(*step);
    add_links();
    for (const core::Set* set : sets_) problem_.sizes.push_back(set->rows());
    choose_home();
  }

  const TileProblem& problem() const { return problem_; }

  TileTraffic traffic() const {
    std::vector<double> rows;
    for (const core::Set* set : sets_) at(rows, set->index) = set->size;
    StepTraffic all(std::move(rows));
    for (const Step* step : steps_)
      all.add(std::array<std::span<const core::LoopArg>, 1>{step->args}, *step->set,
              static_cast<double>(step->rows(phase_).size()));
    TileTraffic traffic = all.sum();
    traffic.home_rows = problem_.home_rows;
    return traffic;
  }

 private:
  void add_loop(const Step& step) {
    const IndexRange rows = step.rows(phase_);
    const bool reduces = !step.reductions.empty();
    TileLoop loop{number_of<const core::Set*>(sets_, step.set),
                  rows,
                  reduces ? step.set->size : rows.end,
                  {}};
    for (const core::LoopArg& arg : step.args) {
      if (arg.active && arg.is_indirect()) {
        auto& [map, used] = maps_[arg.map->index];
        map = arg.map;
        used = std::max(used, rows.end);
      }
      if (!arg.is_active_dat() || !modified_.contains(arg.dat)) continue;
      RowAccess access = row_access(arg);
      access.set = number_of(sets_, &arg.dat->on());
      if (std::ranges::find(loop.accesses, access) == loop.accesses.end())
        loop.accesses.push_back(access);
    }
    problem_.loops.push_back(std::move(loop));
  }

  void add_links() {
    for (const auto& [index, used] : maps_)
      problem_.links.push_back({number_of(sets_, static_cast<const core::Set*>(used.map->from)),
                                number_of(sets_, static_cast<const core::Set*>(used.map->to)),
                                used.map->map, used.map->dim, used.rows});
  }

  /// The set whose rows are accessed most often. On several ranks, only its interior is ordered for
  /// locality; the rows of its boundary follow.
  void choose_home() {
    std::vector<std::int64_t> accesses(sets_.size(), 0);
    for (const TileLoop& loop : problem_.loops)
      for (const RowAccess& access : loop.accesses) accesses[access.set] += loop.rows.size();
    const auto most = std::ranges::max_element(accesses);
    problem_.home = static_cast<int>(most - accesses.begin());
    const core::Set& home = *sets_[problem_.home];
    problem_.home_rows = home.rows();
    if (const std::int32_t core = home.within(home.layout->deepest); core > home.rows() / 2)
      problem_.home_rows = core;
  }

  std::vector<const Step*> steps_;
  const Phase phase_;
  std::set<const core::Dat*> modified_;
  std::vector<const core::Set*> sets_;  ///< by their numbers in the problem
  struct UsedMap {
    const core::Map* map = nullptr;
    std::int64_t rows = 0;
  };
  std::map<int, UsedMap> maps_;  ///< by their numbers, so that equal chains give equal tiles
  TileProblem problem_{};
};

TileShape shape_for(const TileTraffic& traffic, const TileContext& context) {
  const auto& [tiling, caches, threads] = context;
  if (tiling.rows <= 0) return {threads, tiles_per_thread(traffic, caches, threads), 0, least_run};
  const std::int64_t tiles = std::max<std::int64_t>(1, traffic.home_rows / (threads * tiling.rows));
  return {.threads = threads,
          .tiles = static_cast<int>(tiles),
          .shuffled = tiling.mode == core::TileMode::shuffled ? 1U : 0U};
}

/// Empty if memory does not suffice: then the loops run one after the other.
TilePlan plan_if_it_fits(const TileProblem& problem, const TileShape& shape) {
  try {
    return plan_tiles(problem, shape);
  } catch (const std::bad_alloc&) {
    return {};
  }
}

std::vector<TiledSteps> tiles_of(const Plan& plan, std::size_t chain, Phase phase,
                                 const TileContext& context) {
  std::vector<TiledSteps> tiled;
  for (StepNumbers& steps : groups_for_tiles(plan, chain, phase)) {
    const ProblemBuilder builder(plan, steps, phase);
    const TileShape shape = shape_for(builder.traffic(), context);
    if (shape.tiles == 0) continue;
    TilePlan tiles = plan_if_it_fits(builder.problem(), shape);
    if (tiles.stages.empty()) continue;
    const std::size_t begin = steps.front(), end = steps.back() + 1;
    tiled.push_back({begin, end, std::move(steps), std::move(tiles)});
  }
  return tiled;
}

}  // namespace

std::vector<ChainTiles> make_tiles(const Plan& plan, const TileContext& context) {
  std::vector<ChainTiles> tiles;
  for (std::size_t chain = 0; chain < plan.chains().size(); ++chain)
    tiles.push_back({tiles_of(plan, chain, Phase::interior, context),
                     tiles_of(plan, chain, Phase::boundary, context)});
  return tiles;
}

}  // namespace op2::sched
