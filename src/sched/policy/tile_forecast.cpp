// SPDX-License-Identifier: BSD-3-Clause
#include <sched/policy/tile_forecast.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <sched/executor/cpu/tiles.hpp>
#include <sched/policy/halo_sizes.hpp>

namespace op2::sched {
namespace {

using StepWorkList = std::span<const std::span<LoopWork>>;

/// What the steps of a chain access, each dat and map as far as they can.
class StepTraffic {
 public:
  StepTraffic(const core::Queue& queue, const HaloSizes& sizes, double LoopWork::* phase)
      : queue_(queue), sizes_(sizes), phase_(phase) {}

  void add(std::span<const LoopWork> step) {
    const double iterations = step.front().*phase_;
    if (iterations <= 0) return;
    ++steps_;
    used_.clear();
    for (const LoopWork& loop : step)
      for (const core::LoopArg& arg : queue_.args_of(queue_.records()[loop.loop])) {
        if (!arg.active) continue;
        if (arg.is_indirect()) use(*arg.map, iterations);
        if (arg.is_active_dat()) use(arg, iterations);
      }
    const double elements =
        std::max(1.0, rows_of(*queue_.records()[step.front().loop].set));  // of all phases
    for (const core::Dat* dat : used_) {
      Use& use = dats_[index_of(*dat)];
      loop_by_loop_ += std::min(rows_of(*dat->set), use.args * elements) * dat->size *
                       (int{use.reads} + int{use.modifies}) * iterations / elements;
      use.reached = std::max(use.reached, std::min(rows_of(*dat->set), iterations) * dat->size);
      use.is_modified |= use.modifies;
    }
  }

  int steps() const { return steps_; }

  TileTraffic sum() const {
    TileTraffic traffic{loop_by_loop_, 0, 0, home_rows()};
    for (const Use& use : dats_) {
      traffic.footprint += use.reached;
      traffic.once += use.is_modified ? 2 * use.reached : use.reached;
    }
    for (const MapUse& use : maps_) traffic.footprint += use.reached, traffic.once += use.reached;
    return traffic;
  }

 private:
  struct Use {
    int step = 0;           ///< the last one that uses it,
    bool reads = false;     ///< reads it,
    bool modifies = false;  ///< modifies it,
    bool is_fresh = false;  ///< has written it before it reads it,
    double args = 0;        ///< and by so many arguments
    int set = 0;
    double accesses = 0;       ///< of all steps
    double reached = 0;        ///< bytes
    bool is_modified = false;  ///< by any step
  };
  struct MapUse {
    int step = 0;
    double reached = 0;  ///< bytes
  };

  template <class T>
  static std::size_t index_of(const T& what) {
    return static_cast<std::size_t>(what.index);
  }
  template <class T>
  static T& at(std::vector<T>& all, std::size_t index) {
    if (index >= all.size()) all.resize(index + 1);
    return all[index];
  }
  double rows_of(const op_set_core& set) const {
    return sizes_.sets[static_cast<std::size_t>(set.index)].rows_within(0);
  }

  void use(const op_map_core& map, double iterations) {
    MapUse& use = at(maps_, index_of(map));
    const double bytes = iterations * map.dim * double{sizeof(std::int32_t)};
    if (std::exchange(use.step, steps_) != steps_) loop_by_loop_ += bytes;
    use.reached = std::max(use.reached, bytes);
  }

  void use(const core::LoopArg& arg, double iterations) {
    Use& use = at(dats_, index_of(*arg.dat));
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

  /// Of the set whose modified rows are accessed most often.
  std::int64_t home_rows() const {
    std::vector<double> accesses(sizes_.sets.size(), 0);
    for (const Use& use : dats_)
      if (use.is_modified) accesses[static_cast<std::size_t>(use.set)] += use.accesses;
    const auto home = std::ranges::max_element(accesses) - accesses.begin();
    return static_cast<std::int64_t>(sizes_.sets[static_cast<std::size_t>(home)].rows_within(0));
  }

  const core::Queue& queue_;
  const HaloSizes& sizes_;
  double LoopWork::* const phase_;
  int steps_ = 0;
  double loop_by_loop_ = 0;
  std::vector<Use> dats_;               ///< by their indices
  std::vector<MapUse> maps_;            ///< by their indices
  std::vector<const core::Dat*> used_;  ///< in this step, by first use
};

/// Of steps that nothing separates.
void forecast(const core::Queue& queue, StepWorkList steps, double LoopWork::* phase,
              const HaloSizes& sizes, const TileRules& rules) {
  StepTraffic traffic(queue, sizes, phase);
  for (const std::span<LoopWork> step : steps) traffic.add(step);
  if (traffic.steps() < 2) return;
  const TileTraffic sum = traffic.sum();
  if (rules.tiling.rows <= 0 && tiles_per_thread(sum, rules.caches, rules.threads) == 0) return;
  for (const std::span<LoopWork> step : steps)
    if (step.front().*phase > 0)
      for (LoopWork& loop : step) {
        loop.untiled = std::exchange(loop.way, Way::tiled);
        loop.spared = sum.once < sum.loop_by_loop ? 1 - sum.once / sum.loop_by_loop : 0;
      }
}

}  // namespace

void forecast_tiles(const core::Queue& queue, StepWorkList steps, double LoopWork::* phase,
                    const HaloSizes& sizes, const TileRules& rules) {
  if (rules.tiling.mode == core::TileMode::off) return;
  const auto separates = [&](std::span<const LoopWork> step) {
    return queue.records()[step.front().loop].colouring != nullptr;
  };
  for (auto first = steps.begin(); first != steps.end();) {
    const auto last = std::find_if(first, steps.end(), separates);
    forecast(queue, {first, last}, phase, sizes, rules);
    first = last == steps.end() ? last : last + 1;
  }
}

}  // namespace op2::sched
