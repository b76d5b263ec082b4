// SPDX-License-Identifier: BSD-3-Clause
#include <sched/tiler.hpp>

#include <algorithm>
#include <map>
#include <new>
#include <set>

#include <sched/lower.hpp>
#include <sched/numbering.hpp>

namespace op2::sched {
namespace {

/// Shorter runs cost more in calls, and in iterations that fill no vector, than tiles gain.
constexpr double least_run = 16;

/// Loops that nothing separates, in one of their halves.
struct Candidates {
  std::vector<std::size_t> records;
  Half half;
};

bool can_be_tiled(const LoopStep& step) {
  return step.kind == LoopStep::Kind::loop && step.range != nullptr && !step.in_order;
}

/// Loops that run on the host or in order stand between candidates; those with nothing to do in
/// this half do not.
std::vector<Candidates> candidates_of(const ChainPlan& chain, const Plan& plan, Half half) {
  std::vector<Candidates> all{{{}, half}};
  for (std::size_t k = chain.begin; k < chain.end; ++k) {
    const LoopStep& step = plan.steps[k];
    if (step.kind != LoopStep::Kind::loop) continue;
    const Range rows = step.rows(half);
    if (rows.begin >= rows.end) continue;
    if (can_be_tiled(step))
      all.back().records.push_back(k);
    else
      all.push_back({{}, half});
  }
  std::erase_if(all, [](const Candidates& some) { return some.records.size() < 2; });
  return all;
}

/// Describes loops to the inspector.
class ProblemBuilder {
 public:
  ProblemBuilder(const Plan& plan, const Candidates& loops) : plan_(plan), loops_(loops) {
    for (const std::size_t k : loops.records)
      for (const core::LoopArg& arg : args_of(k))
        if (arg.is_active_dat() && arg.modifies()) modified_.insert(arg.dat);
    for (const std::size_t k : loops.records) add_loop(k);
    add_links();
    for (const core::Set* set : sets_) problem_.sizes.push_back(set->rows());
    choose_home();
  }

  const TileProblem& problem() const { return problem_; }

  /// Each dat and map counts as far as the loops can reach.
  TileTraffic traffic() const {
    std::map<const void*, double> bytes;
    TileTraffic traffic{0, 0, 0, problem_.home_rows};
    for (const std::size_t k : loops_.records) {
      const Range rows = plan_.steps[k].rows(loops_.half);
      const auto iterations = static_cast<double>(rows.end - rows.begin);
      traffic.loop_by_loop += plan_.steps[k].useful_bytes * iterations /
                              std::max(1.0, static_cast<double>(set_of(k)->size));
      for (const core::LoopArg& arg : args_of(k)) {
        if (!arg.active) continue;
        if (arg.is_indirect())
          raise(bytes[arg.map], iterations * arg.map->dim * double{sizeof(std::int32_t)});
        if (arg.is_active_dat())
          raise(bytes[arg.dat], std::min<double>(arg.dat->set->size, iterations) * arg.dat->size);
      }
    }
    for (const auto& [what, size] : bytes) {
      traffic.footprint += size;
      traffic.once += modified_.contains(static_cast<const core::Dat*>(what)) ? 2 * size : size;
    }
    return traffic;
  }

 private:
  static void raise(double& value, double least) { value = std::max(value, least); }

  std::span<const core::LoopArg> args_of(std::size_t step) const { return plan_.steps[step].args; }
  const core::Set* set_of(std::size_t step) const { return plan_.steps[step].set; }

  void add_loop(std::size_t k) {
    const LoopStep& step = plan_.steps[k];
    const Range rows = step.rows(loops_.half);
    const bool reduces = !step.reductions.empty();
    TileLoop loop{number_of(sets_, set_of(k)), rows, reduces ? set_of(k)->size : rows.end, {}};
    std::set<Reach> reaches;
    for (const core::LoopArg& arg : args_of(k)) {
      if (arg.active && arg.is_indirect()) {
        auto& [map, used] = maps_[arg.map->index];
        map = arg.map;
        used = std::max(used, rows.end);
      }
      if (!arg.is_active_dat() || !modified_.contains(arg.dat)) continue;
      if (!reaches.insert({arg.map, arg.is_indirect() ? arg.column : -1}).second) continue;
      const int set = number_of(sets_, static_cast<const core::Set*>(arg.dat->set));
      loop.touches.push_back(arg.is_indirect()
                                 ? TileTouch{set, arg.map->map + arg.column, arg.map->dim}
                                 : TileTouch{set, nullptr, 0});
    }
    problem_.loops.push_back(std::move(loop));
  }

  void add_links() {
    for (const auto& [index, used] : maps_)
      problem_.links.push_back({number_of(sets_, static_cast<const core::Set*>(used.map->from)),
                                number_of(sets_, static_cast<const core::Set*>(used.map->to)),
                                used.map->map, used.map->dim, used.rows});
  }

  /// The set whose rows are touched most often. On several ranks, only its core lies in an order
  /// of neighbourhood; the rows around follow.
  void choose_home() {
    std::vector<std::int64_t> touches(sets_.size(), 0);
    for (const TileLoop& loop : problem_.loops)
      for (const TileTouch& touch : loop.touches)
        touches[static_cast<std::size_t>(touch.set)] += loop.rows.end - loop.rows.begin;
    const auto most = std::ranges::max_element(touches);
    problem_.home = static_cast<int>(most - touches.begin());
    const core::Set& home = *sets_[static_cast<std::size_t>(problem_.home)];
    problem_.home_rows = home.rows();
    if (const std::int32_t core = home.within(core::deepest_tracked); core > home.rows() / 2)
      problem_.home_rows = core;
  }

  const Plan& plan_;
  const Candidates& loops_;
  std::set<const core::Dat*> modified_;
  std::vector<const core::Set*> sets_;  ///< by their numbers in the problem
  struct UsedMap {
    const core::Map* map = nullptr;
    std::int64_t rows = 0;
  };
  std::map<int, UsedMap> maps_;  ///< by their numbers, so that equal chains give equal tiles
  TileProblem problem_{};
};

}  // namespace

void Tiler::add_tiles(const core::Queue& queue, Plan& plan) {
  for (ChainPlan& chain : plan.chains) {
    add_tiles(queue, chain, plan, Half::early, chain.early);
    add_tiles(queue, chain, plan, Half::late, chain.late);
  }
}

void Tiler::add_tiles(const core::Queue& queue, const ChainPlan& chain, Plan& plan, Half half,
                      std::vector<TiledLoops>& tiled) {
  for (const Candidates& loops : candidates_of(chain, plan, half)) {
    const ProblemBuilder builder(plan, loops);
    const TileShape shape = shape_for(builder.traffic());
    if (shape.tiles == 0) continue;
    const std::size_t stride = (loops.records.size() + 7) / 8 * 8 + 8;  // threads share no line
    TilePlan tiles;
    try {
      tiles = plan_tiles(builder.problem(), shape);
    } catch (const std::bad_alloc&) {
      // The loops run one after the other, which takes no memory.
    }
    if (tiles.phases.empty()) continue;
    for (const std::size_t k : loops.records)
      steps_.bind_for_tiles(queue, {chain.begin, chain.end}, plan.steps[k]);
    tiled.push_back({loops.records.front(), loops.records.back() + 1, loops.records,
                     std::move(tiles), TileTrial(options_.tile.mode == core::TileMode::measured),
                     std::vector<double>(static_cast<std::size_t>(threads_) * stride), stride});
  }
}

TileShape Tiler::shape_for(const TileTraffic& traffic) const {
  TileShape shape{.threads = threads_,
                  .tiles = 0,
                  .shuffled = options_.tile.mode == core::TileMode::shuffled ? 1U : 0U};
  if (options_.tile.rows > 0)
    shape.tiles = static_cast<int>(
        std::max<std::int64_t>(1, traffic.home_rows / (threads_ * options_.tile.rows)));
  else
    shape = {threads_, tiles_per_thread(traffic, topology_.caches, threads_), 0, least_run};
  return shape;
}

}  // namespace op2::sched
