// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cpu/tiles.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <new>
#include <set>

#include <sched/analysis/conflicts.hpp>
#include <sched/numbering.hpp>

namespace op2::sched {
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

}  // namespace

bool saves_enough(const TileTraffic& traffic) {
  return traffic.loop_by_loop >= least_gain * traffic.once;
}

int tiles_per_thread(const TileTraffic& traffic, const core::Caches& caches, int threads) {
  const auto shared = static_cast<double>(caches.shared), own = static_cast<double>(caches.own);
  if (traffic.footprint < shared / 2 || traffic.footprint < own * threads) return 0;
  if (!saves_enough(traffic)) return 0;
  const double share = traffic.footprint / threads;
  const double room = std::max(usable_cache * own, usable_share * shared / threads);
  const auto tiles = static_cast<std::int64_t>(std::ceil(share / room));
  const std::int64_t most = traffic.home_rows / (threads * least_rows);
  return std::min(tiles, most) < 2 ? 0 : static_cast<int>(std::min(tiles, most));
}

namespace {

/// Shorter index ranges cost more, by calls and by iterations that fill no vector, than tiles gain.
constexpr double least_run = 16;

/// Adjacent steps that may be tiled, in one phase.
struct Candidates {
  std::vector<std::size_t> steps;
  Phase phase;
};

bool can_be_tiled(const Plan& plan, std::size_t s, Phase phase) {
  const Step& step = plan.steps.all[s];
  return plan.code[s].compiled != nullptr && step.order == Order::any &&
         step.colouring == nullptr && step.iterations(phase) == step.rows(phase).size();
}

/// Steps that run on the host, in order, in colours or only some rows of the phase separate
/// candidates; steps without iterations in this phase do not.
std::vector<Candidates> candidates_of(const Plan& plan, std::size_t chain, Phase phase) {
  std::vector<Candidates> all{{{}, phase}};
  for (std::size_t s = plan.steps.begin[chain]; s < plan.steps.begin[chain + 1]; ++s) {
    const Step& step = plan.steps.all[s];
    if (!step.runs() || step.iterations(phase) == 0) continue;
    if (can_be_tiled(plan, s, phase))
      all.back().steps.push_back(s);
    else
      all.push_back({{}, phase});
  }
  std::erase_if(all, [](const Candidates& some) { return some.steps.size() < 2; });
  return all;
}

/// Describes steps as loops of a tile problem.
class ProblemBuilder {
 public:
  ProblemBuilder(const Plan& plan, const Candidates& loops) : plan_(plan), loops_(loops) {
    for (const std::size_t s : loops.steps)
      for (const core::LoopArg& arg : step(s).args)
        if (arg.modifies_dat()) modified_.insert(arg.dat);
    for (const std::size_t s : loops.steps) add_loop(step(s));
    add_links();
    for (const core::Set* set : sets_) problem_.sizes.push_back(set->rows());
    choose_home();
  }

  const TileProblem& problem() const { return problem_; }

  /// Each dat and map counts as far as the loops can access it.
  TileTraffic traffic() const {
    std::map<const void*, double> bytes;
    TileTraffic traffic{0, 0, 0, problem_.home_rows};
    for (const std::size_t s : loops_.steps) {
      const auto iterations = static_cast<double>(step(s).rows(loops_.phase).size());
      traffic.loop_by_loop += useful_bytes(step(s)) * iterations /
                              std::max(1.0, static_cast<double>(step(s).set->size));
      for (const core::LoopArg& arg : step(s).args) {
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

  const Step& step(std::size_t position) const { return plan_.steps.all[position]; }

  void add_loop(const Step& step) {
    const IndexRange rows = step.rows(loops_.phase);
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
  for (Candidates& loops : candidates_of(plan, chain, phase)) {
    const ProblemBuilder builder(plan, loops);
    const TileShape shape = shape_for(builder.traffic(), context);
    if (shape.tiles == 0) continue;
    TilePlan tiles = plan_if_it_fits(builder.problem(), shape);
    if (tiles.stages.empty()) continue;
    const std::size_t begin = loops.steps.front(), end = loops.steps.back() + 1;
    tiled.push_back({begin, end, std::move(loops.steps), std::move(tiles)});
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
