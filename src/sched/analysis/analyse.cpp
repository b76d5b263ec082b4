// SPDX-License-Identifier: BSD-3-Clause
#include <sched/analysis/analyse.hpp>

#include <algorithm>

#include <sched/analysis/chain_analysis.hpp>
#include <sched/analysis/cut.hpp>

namespace op2::sched {
namespace {

/// Per record of the chain: its number among the loops.
std::vector<std::size_t> loop_numbers(const core::Queue& queue, const Chain& chain) {
  std::vector<std::size_t> numbers;
  std::size_t next = 0;
  for (std::size_t k = chain.records.begin; k < chain.records.end; ++k)
    numbers.push_back(queue.records()[k].is_assignment() ? next : next++);
  return numbers;
}

}  // namespace

std::vector<core::Level> interiors_of(const core::Queue& queue, const Chain& chain,
                                      const std::vector<LoopLevels>& levels,
                                      const std::vector<LoopGroup>& groups) {
  const ChainDescription loops = describe_chain(queue, chain.records);
  ChainDemand demand{{}, std::vector<core::Level>(loops.dats.size(), core::no_level)};
  std::vector<core::Level> valid(loops.dats.size(), core::every_level);
  for (std::size_t k = 0; k < loops.dats.size(); ++k)
    for (const comm::DatLayers& dat : chain.exchanged)
      if (dat.dat == loops.dats[k]) {
        demand.need[k] = dat.to;
        valid[k] = dat.from;
      }
  for (std::size_t k = chain.records.begin; k < chain.records.end; ++k)
    if (!queue.records()[k].is_assignment()) demand.extent.push_back(levels[k].extent);

  const std::vector<std::size_t> numbers = loop_numbers(queue, chain);
  std::vector<LoopUnit> units;
  for (const LoopGroup& group : groups) {
    LoopUnit& unit = units.emplace_back(LoopUnit{{}, group.gathered});
    for (const std::size_t record : group.records)
      unit.loops.push_back(numbers[record - chain.records.begin]);
  }
  return chain_interior(loops.loops, demand, valid, units);
}

namespace {

std::size_t index_of(const core::Dat* dat) {
  return dat->index;
}

/// Validity of a dat, by that of all dats. With a local map, level 2 has no more rows than the
/// owned ones.
core::Level validity_of(const core::Dat* dat, const std::vector<core::Level>& valid) {
  const core::Level level = valid[index_of(dat)];
  return dat->on().layout->local_map && level >= 0 ? std::max(level, 2) : level;
}

/// Finds the levels of one chain after the other; validity advances with them.
class Analyser {
 public:
  Analyser(const core::Queue& queue, const std::vector<core::Level>& valid,
           const AnalysisOptions& options, const std::vector<RecordRange>& groups)
      : queue_(queue), options_(options), groups_(groups) {
    result_.valid_after = valid;
    result_.loops.resize(queue.size());
  }

  /// Appends the chain of `range`, or the chains that it is cut into.
  void add(RecordRange range) {
    if (!in_groups()) return add_chain(range);
    for (const RecordRange& group : groups_of(range)) add_group(group, group.begin == range.begin);
  }

  Analysis take() {
    if (in_groups())
      for (const Chain& chain : result_.chains) find_interior(chain);
    return std::move(result_);
  }

 private:
  struct Described {
    ChainDescription chain;
    std::vector<core::Level> valid;  ///< of its dats, before the chain
    core::ChainLevels levels;
  };

  Described describe(RecordRange range) const {
    Described made{describe_chain(queue_, range, options_.keep_all), {}, {}};
    for (const core::Dat* dat : made.chain.dats)
      made.valid.push_back(validity_of(dat, result_.valid_after));
    const std::vector<core::Level> wanted(made.chain.dats.size(), 0);
    made.levels = analyse_chain(made.chain.loops, made.valid, wanted);
    if (options_.halos == Halos::none)
      for (auto* levels : {&made.levels.extent, &made.levels.valid})
        for (core::Level& level : *levels) level = std::min(level, 0);
    else if (options_.widens)
      widen(made.levels, made.chain.loops, made.valid);
    return made;
  }

  bool in_groups() const { return options_.halos == Halos::per_loop || !groups_.empty(); }

  std::vector<RecordRange> groups_of(RecordRange range) const {
    if (options_.halos == Halos::per_loop) return loops_of(queue_, range);
    std::vector<RecordRange> inside;
    for (const RecordRange& group : groups_)
      if (group.begin >= range.begin && group.end <= range.end) inside.push_back(group);
    return inside;
  }

  void add_chain(RecordRange range) {
    const Described made = describe(range);
    Chain& chain = result_.chains.emplace_back();
    chain.records = range;
    chain.exchanged = missing_layers(made);
    accept(range, made);
    set_layers(chain);
  }

  void add_group(RecordRange range, bool begins_chain) {
    const Described made = describe(range);
    std::vector<comm::DatLayers> missing = missing_layers(made);
    if (begins_chain || !(missing.empty() || may_begin_with(missing)))
      result_.chains.push_back({range, {}, 0});
    Chain& chain = result_.chains.back();
    chain.records.end = range.end;
    if (!missing.empty()) chain.exchanged = std::move(missing);
    accept(range, made);
    set_layers(chain);
  }

  /// Whether the last chain exchanges nothing and leaves these dats as they are: then their
  /// messages are under way while it runs. Such a chain is the first one of a range.
  bool may_begin_with(const std::vector<comm::DatLayers>& missing) const {
    const Chain& chain = result_.chains.back();
    if (!chain.exchanged.empty()) return false;
    const auto modifies_one = [&](const core::LoopRecord& record) {
      return std::ranges::any_of(queue_.args_of(record), [&](const core::LoopArg& arg) {
        return arg.modifies_dat() &&
               std::ranges::find(missing, arg.dat, &comm::DatLayers::dat) != missing.end();
      });
    };
    return std::ranges::none_of(records_in(queue_, chain.records), modifies_one);
  }

  std::vector<comm::DatLayers> missing_layers(const Described& made) const {
    std::vector<comm::DatLayers> missing;
    if (options_.halos == Halos::none) return missing;
    for (std::size_t k = 0; k < made.chain.dats.size(); ++k) {
      const core::Level from = std::max(made.valid[k], 0);
      if (made.levels.need[k] > from)
        missing.push_back({made.chain.dats[k], from, made.levels.need[k]});
    }
    return missing;
  }

  static void set_layers(Chain& chain) {
    for (const comm::DatLayers& dat : chain.exchanged)
      chain.layers = std::max(chain.layers, (dat.to + 1) / 2);
  }

  /// Stores the levels of the loops in `range`, and the validity after them.
  void accept(RecordRange range, const Described& made) {
    std::size_t loop = 0;
    const bool in_flight = !result_.chains.back().exchanged.empty();
    for (std::size_t k = range.begin; k < range.end; ++k) {
      if (queue_.records()[k].is_assignment()) continue;
      result_.loops[k] = {in_flight ? made.levels.interior[loop] : core::no_level,
                          made.levels.extent[loop]};
      ++loop;
    }
    for (std::size_t k = 0; k < made.chain.dats.size(); ++k)
      result_.valid_after[index_of(made.chain.dats[k])] = made.levels.valid[k];
    result_.rows = std::max(result_.rows, made.levels.rows);
  }

  /// The interiors of loops whose extents were found group by group, for the exchange before the
  /// first of them.
  void find_interior(const Chain& chain) {
    if (chain.exchanged.empty()) return;
    std::vector<LoopGroup> loops;
    for (std::size_t k = chain.records.begin; k < chain.records.end; ++k)
      if (!queue_.records()[k].is_assignment() && result_.loops[k].extent != core::no_level)
        loops.push_back({{k}});
    const std::vector<core::Level> interior = interiors_of(queue_, chain, result_.loops, loops);
    for (std::size_t k = 0; k < loops.size(); ++k)
      result_.loops[loops[k].place()].interior = interior[k];
  }

  const core::Queue& queue_;
  const AnalysisOptions options_;
  const std::vector<RecordRange>& groups_;
  Analysis result_;
};

}  // namespace

Analysis analyse(const core::Queue& queue, const std::vector<RecordRange>& cut,
                 const std::vector<core::Level>& valid, const AnalysisOptions& options,
                 const std::vector<RecordRange>& groups) {
  Analyser analyser(queue, valid, options, groups);
  for (const RecordRange& range : cut) analyser.add(range);
  return analyser.take();
}

std::vector<RecordRange> loops_of(const core::Queue& queue, RecordRange range) {
  std::vector<RecordRange> loops;
  std::size_t begin = range.begin;
  for (std::size_t k = range.begin; k < range.end; ++k)
    if (!queue.records()[k].is_assignment()) {
      loops.push_back({begin, k + 1});
      begin = k + 1;
    }
  if (loops.empty()) return {range};
  loops.back().end = range.end;
  return loops;
}

bool exchanges(const Analysis& analysis, const core::Dat& dat) {
  return std::ranges::any_of(analysis.chains, [&](const Chain& chain) {
    return std::ranges::find(chain.exchanged, &dat, &comm::DatLayers::dat) != chain.exchanged.end();
  });
}

}  // namespace op2::sched
