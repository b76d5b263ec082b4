// SPDX-License-Identifier: BSD-3-Clause
#include <sched/analysis/chain_analysis.hpp>

#include <algorithm>
#include <functional>
#include <utility>

namespace op2::sched {

using core::ChainArg;
using core::ChainLoop;
using core::every_level;
using core::Level;
using core::no_level;

namespace {

/// A direct increment may read the sum, so it counts as a reader; through a map it only adds.
bool uses_old_value(const ChainArg& arg) {
  return arg.access == OP_READ || arg.access == OP_RW || (arg.access == OP_INC && arg.is_direct());
}

/// Only a direct write replaces every row; through a map, rows that are not targets keep their
/// value.
bool replaces_all_rows(const ChainArg& arg) {
  return arg.access == OP_WRITE && arg.is_direct();
}

/// Where the targets of W_h of the loop's set lie.
Level targets_of(const ChainLoop& loop, Level h) {
  return loop.local_map ? core::local_targets(h) : core::up(h);
}

/// What lacks no contribution after the loop has run on W_h.
Level completed_by(const ChainLoop& loop, Level h) {
  return loop.local_map ? core::local_targets(h) : core::cov(h);
}

/// The largest extent whose targets lie in W_h.
Level inside_of(const ChainLoop& loop, Level h) {
  return loop.local_map ? core::local_inside(h) : core::inside(h);
}

/// The smallest extent on which the loop makes its results as valid as `need` says.
Level extent_of(const ChainLoop& loop, std::span<const Level> need) {
  Level extent = loop.reduction ? 0 : no_level;
  for (const ChainArg& arg : loop.args) {
    if (!arg.modifies() || need[arg.dat] == no_level) continue;
    extent = std::max(extent, arg.is_direct() ? need[arg.dat] : core::need_exec(need[arg.dat]));
  }
  return extent;
}

/// The validity required before a loop that runs on W_extent and after which `need` must hold. Rows
/// that the loop does not execute keep their values, so `need` holds before it too, unless it
/// replaces all rows.
std::vector<Level> need_before(const ChainLoop& loop, Level extent,
                               const std::vector<Level>& need) {
  std::vector<Level> before = need;
  for (const ChainArg& arg : loop.args)
    if (replaces_all_rows(arg)) before[arg.dat] = no_level;
  for (const ChainArg& arg : loop.args) {
    if (replaces_all_rows(arg)) continue;
    const Level kept = need[arg.dat];
    const Level read = arg.is_direct() ? extent : targets_of(loop, extent);
    before[arg.dat] = std::max(before[arg.dat], uses_old_value(arg) ? read : kept);
  }
  return before;
}

/// The rows that the interior phase may use while messages are in flight. In a row above its limit,
/// the boundary phase or a message has yet to write the value, or to read the one before it.
struct PhaseLimits {
  std::vector<Level>
      written;              ///< per dat: rows up to here hold the value of this point of the chain
  std::vector<Level> read;  ///< per dat: rows up to here have been read by all earlier readers
};

/// The largest level on which elements find all that an argument accesses in W_rows.
/// @param gathered  of a loop whose elements are those that add to the rows of the level
Level limit_of(const ChainLoop& loop, const ChainArg& arg, bool gathered, Level rows) {
  if (gathered && arg.modifies()) return rows;  // what goes to other rows is dropped
  const Level elements = arg.is_direct() ? rows : inside_of(loop, rows);
  return gathered ? completed_by(loop, elements) : elements;
}

/// Elements outside W_level access by an argument nothing in W_done.
Level done_by(const ChainLoop& loop, const ChainArg& arg, bool gathered, Level level) {
  if (level == no_level || (gathered && arg.modifies())) return level;
  const Level elements = gathered ? inside_of(loop, level) : level;
  return arg.is_direct() ? elements : completed_by(loop, elements);
}

/// Calls `visit(loop, arg, gathered)` for each argument of a group.
/// @param first  the record of the chain's first loop
template <class Visit>
void for_each_arg(std::span<const ChainLoop> chain, const LoopGroup& group, std::size_t first,
                  const Visit& visit) {
  for (std::size_t k = 0; k < group.loops.size(); ++k) {
    const ChainLoop& loop = chain[group.loops[k] - first];
    for (const ChainArg& arg : loop.args) visit(loop, arg, k < group.gathered);
  }
}

/// All arguments see the limits before the group: what its kernels share, they access by the same
/// element, or find in the buffer from which rows move.
Level interior_of(std::span<const ChainLoop> chain, const LoopGroup& group, std::size_t first,
                  Level extent, const PhaseLimits& limits) {
  Level level = extent, deepest = deepest_interior;
  for_each_arg(chain, group, first, [&](const ChainLoop& loop, const ChainArg& arg, bool gathered) {
    Level rows = limits.written[arg.dat];
    if (arg.modifies()) rows = std::min(rows, limits.read[arg.dat]);
    level = std::min(level, limit_of(loop, arg, gathered, rows));
  });
  for (const std::size_t loop : std::span(group.loops).subspan(group.gathered))
    deepest = std::max(deepest, chain[loop - first].deepest);
  return level < deepest ? no_level : level;
}

/// Lowers the limits by what a group leaves to the boundary phase if its interior is W_interior.
void postpone_rest(std::span<const ChainLoop> chain, const LoopGroup& group, std::size_t first,
                   Level interior, PhaseLimits& limits) {
  for_each_arg(chain, group, first, [&](const ChainLoop& loop, const ChainArg& arg, bool gathered) {
    const Level done = done_by(loop, arg, gathered, interior);
    Level& written = limits.written[arg.dat];
    Level& read = limits.read[arg.dat];
    if (arg.modifies()) written = std::min(written, done);
    if (arg.access != OP_WRITE) read = std::min(read, done);
  });
}

/// Validity after the exchange, which makes every dat as valid as the chain needs.
std::vector<Level> after_exchange(std::span<const Level> valid, const std::vector<Level>& need) {
  std::vector<Level> level(valid.begin(), valid.end());
  for (std::size_t dat = 0; dat < level.size(); ++dat) level[dat] = std::max(level[dat], need[dat]);
  return level;
}

/// Validity of a modified dat after a loop: the lowest over its arguments. A direct argument makes
/// it valid on the extent; through a map, rows stay as valid as before as far as they are complete.
Level validity_made(const ChainLoop& loop, Level extent, std::int32_t dat, Level before) {
  if (extent == no_level) return no_level;
  Level made = every_level;
  for (const ChainArg& arg : loop.args) {
    if (arg.dat != dat || !arg.modifies()) continue;
    made = std::min(made, arg.is_direct() ? extent : std::min(before, completed_by(loop, extent)));
  }
  return made;
}

/// Level up to which there must be rows, so that W_extent has rows with all their targets. In a set
/// with a local map, readable levels are empty.
Level rows_of(const ChainLoop& loop, Level extent) {
  return loop.local_map ? core::even_floor(extent + 1) : core::up(extent);
}

Level rows_touched(std::span<const ChainLoop> chain, const core::ChainLevels& levels) {
  Level rows = no_level;
  for (const Level need : levels.need) rows = std::max(rows, need);
  for (std::size_t l = 0; l < chain.size(); ++l)
    if (levels.extent[l] != no_level) rows = std::max(rows, rows_of(chain[l], levels.extent[l]));
  return rows;
}

}  // namespace

core::ChainLevels chain_demand(std::span<const ChainLoop> chain, std::span<const Level> wanted) {
  core::ChainLevels levels{std::vector<Level>(chain.size(), no_level),
                           {wanted.begin(), wanted.end()}};
  for (std::size_t l = chain.size(); l-- > 0;) {
    const Level extent = extent_of(chain[l], levels.need);
    levels.extent[l] = extent;
    if (extent != no_level) levels.need = need_before(chain[l], extent, levels.need);
  }
  return levels;
}

std::vector<Level> chain_interior(std::span<const ChainLoop> chain, const core::ChainLevels& levels,
                                  std::span<const Level> valid, std::span<const LoopGroup> groups,
                                  std::size_t first) {
  PhaseLimits limits{std::vector<Level>(valid.size(), every_level),
                     std::vector<Level>(valid.size(), every_level)};
  for (std::size_t dat = 0; dat < valid.size(); ++dat)
    if (valid[dat] < levels.need[dat]) limits.written[dat] = valid[dat];

  std::vector<Level> interior;
  for (const LoopGroup& group : groups) {
    const Level extent = levels.extent[group.position() - first];
    interior.push_back(interior_of(chain, group, first, extent, limits));
    if (interior.back() < extent) postpone_rest(chain, group, first, interior.back(), limits);
  }
  return interior;
}

std::vector<Level> interiors_of_loops(std::span<const ChainLoop> chain,
                                      const core::ChainLevels& levels,
                                      std::span<const Level> valid) {
  std::vector<LoopGroup> loops;
  for (std::size_t l = 0; l < chain.size(); ++l)
    if (levels.extent[l] != no_level) loops.push_back({{l}});
  const std::vector<Level> found = chain_interior(chain, levels, valid, loops);
  std::vector<Level> interior(chain.size(), no_level);
  for (std::size_t k = 0; k < loops.size(); ++k) interior[loops[k].position()] = found[k];
  return interior;
}

std::vector<Level> validity_after(std::span<const ChainLoop> chain, const core::ChainLevels& levels,
                                  std::span<const Level> valid) {
  std::vector<Level> level = after_exchange(valid, levels.need);
  for (std::size_t l = 0; l < chain.size(); ++l) {
    const std::vector<Level> before = level;
    for (const ChainArg& arg : chain[l].args)
      if (arg.modifies())
        level[arg.dat] = validity_made(chain[l], levels.extent[l], arg.dat, before[arg.dat]);
  }
  return level;
}

core::ChainLevels analyse_chain(std::span<const ChainLoop> chain, std::span<const Level> valid,
                                std::span<const Level> wanted) {
  core::ChainLevels levels = chain_demand(chain, wanted);
  levels.interior = interiors_of_loops(chain, levels, valid);
  levels.valid = validity_after(chain, levels, valid);
  levels.rows = rows_touched(chain, levels);
  return levels;
}

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
  Widening(std::span<const ChainLoop> chain, const core::ChainLevels& levels,
           std::span<const Level> valid)
      : chain_(chain), made_(levels), valid_(valid) {}

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
  core::ChainLevels made_;
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

std::vector<Level> widened_extents(std::span<const ChainLoop> chain,
                                   const core::ChainLevels& levels, std::span<const Level> valid) {
  return Widening(chain, levels, valid).extents();
}

void widen(core::ChainLevels& levels, std::span<const ChainLoop> chain,
           std::span<const Level> valid) {
  std::vector<Level> extent = widened_extents(chain, levels, valid);
  if (extent == levels.extent) return;
  core::ChainLevels wider = levels;
  wider.extent = std::move(extent);
  wider.interior = interiors_of_loops(chain, wider, valid);
  if (pairs_together(chain, wider) > pairs_together(chain, levels)) levels = std::move(wider);
}

}  // namespace op2::sched
