// SPDX-License-Identifier: BSD-3-Clause
#include <sched/widen.hpp>

#include <algorithm>
#include <functional>
#include <utility>

namespace op2::sched {

using core::ChainArg;
using core::ChainLoop;
using core::Level;

namespace {

bool share_rows(const ChainLoop& a, const ChainLoop& b) {
  return std::ranges::any_of(a.args, [&](const ChainArg& first) {
    return first.is_direct() && std::ranges::any_of(b.args, [&](const ChainArg& second) {
             return second.is_direct() && second.dat == first.dat;
           });
  });
}

/// Loops [begin, end).
struct Run {
  std::size_t begin, end;
};

/// Raises runs of neighbours that run equally far, each as a whole, so that none of them is parted.
class Widening {
 public:
  Widening(std::span<const ChainLoop> chain, const ChainDemand& demand,
           std::span<const Level> valid)
      : chain_(chain), made_(demand), valid_(valid) {}

  std::vector<Level> extents() {
    while (raise_one()) {
    }
    return std::move(made_.extent);
  }

 private:
  Level extent(std::size_t k) const { return made_.extent[k]; }

  bool are_neighbours(std::size_t k, std::size_t next) const {
    return chain_[k].set == chain_[next].set && extent(k) != core::no_level &&
           extent(next) != core::no_level && share_rows(chain_[k], chain_[next]);
  }

  /// False: no run can be raised any more.
  bool raise_one() {
    for (Run run{0, 0}; run.begin < chain_.size(); run.begin = run.end) {
      run.end = run.begin + 1;
      while (run.end < chain_.size() && extent(run.end) == extent(run.begin) &&
             are_neighbours(run.end - 1, run.end))
        ++run.end;
      const auto [further, less] = std::minmax({before(run), behind(run)}, std::greater<>());
      if (raise(run, further) || raise(run, less)) return true;
    }
    return false;
  }

  /// How far the neighbours of a run go; no_level: there is none.
  Level before(const Run& run) const {
    const std::size_t k = run.begin;
    return k > 0 && are_neighbours(k - 1, k) ? extent(k - 1) : core::no_level;
  }
  Level behind(const Run& run) const {
    const std::size_t k = run.end;
    return k < chain_.size() && are_neighbours(k - 1, k) ? extent(k) : core::no_level;
  }

  /// All or nothing.
  bool raise(const Run& run, Level to) {
    const Level from = extent(run.begin);
    if (to <= from) return false;
    for (std::size_t k = run.begin; k < run.end; ++k) {
      if (!may_run_on(to, k)) {
        std::fill_n(made_.extent.begin() + static_cast<std::ptrdiff_t>(run.begin),
                    run.end - run.begin, from);
        return false;
      }
      made_.extent[k] = to;
    }
    return true;
  }

  bool may_run_on(Level extent, std::size_t k) const {
    const ChainLoop& loop = chain_[k];
    if (loop.reduction || !std::ranges::all_of(loop.args, &ChainArg::is_direct)) return false;
    const std::vector<Level> now = validity_after(chain_.first(k), made_, valid_);
    return std::ranges::all_of(loop.args, [&](const ChainArg& arg) {
      return arg.access == OP_WRITE || now[arg.dat] >= extent;
    });
  }

  std::span<const ChainLoop> chain_;
  ChainDemand made_;
  std::span<const Level> valid_;
};

/// How many loops run the same elements in the same phases as the loop before them.
int pairs_together(std::span<const ChainLoop> chain, const core::ChainLevels& levels) {
  int pairs = 0;
  for (std::size_t k = 1; k < chain.size(); ++k)
    if (chain[k].set == chain[k - 1].set && levels.extent[k] == levels.extent[k - 1] &&
        levels.interior[k] == levels.interior[k - 1])
      ++pairs;
  return pairs;
}

}  // namespace

std::vector<Level> widened_extents(std::span<const ChainLoop> chain, const ChainDemand& demand,
                                   std::span<const Level> valid) {
  return Widening(chain, demand, valid).extents();
}

void widen(core::ChainLevels& levels, std::span<const ChainLoop> chain,
           std::span<const Level> valid) {
  ChainDemand demand{levels.extent, levels.need};
  demand.extent = widened_extents(chain, demand, valid);
  if (demand.extent == levels.extent) return;
  core::ChainLevels wider = levels;
  wider.interior = interiors_of_loops(chain, demand, valid);
  wider.extent = std::move(demand.extent);
  if (pairs_together(chain, wider) > pairs_together(chain, levels)) levels = std::move(wider);
}

}  // namespace op2::sched
