// SPDX-License-Identifier: BSD-3-Clause
#include <sched/analysis/analyse.hpp>

#include <algorithm>
#include <map>

namespace op2::sched {
namespace {

using Reduced = std::map<const core::Global*, op_access>;

/// Whether a loop needs a global that the chain reduces and that the ranks have not combined yet.
bool needs_combined(std::span<const core::LoopArg> args, const Reduced& reduced) {
  return std::ranges::any_of(args, [&](const core::LoopArg& arg) {
    if (!arg.active || arg.global == nullptr) return false;
    const auto found = reduced.find(arg.global);
    return found != reduced.end() && found->second != arg.access;
  });
}

/// The lowest level of a set that is distinguished, on every rank, where it matters. Of other sets
/// it does not: a loop whose interior is below it completes less, which is not distinguished
/// either. Through a local map it completes up to one level more, but the engine has levels
/// distinguished as deep as interiors are.
core::Level deepest_of(const core::Set& set) {
  const core::Level deepest = set.layout->deepest;
  if (set.layout->local_map) return set.layout->limit;
  return deepest == core::deepest_in_declared_order ? deepest : core::no_level;
}

core::ChainLoop describe_loop(const core::Set& set, std::span<const core::LoopArg> args, bool keep,
                              std::vector<core::Dat*>& dats) {
  core::ChainLoop loop{{}, keep, deepest_of(set), set.layout->local_map, set.index};
  bool modifies = false;
  for (const core::LoopArg& arg : args) {
    loop.reduction = loop.reduction || arg.is_reduction();
    if (!arg.is_active_dat()) continue;
    modifies = modifies || arg.modifies();
    loop.args.push_back(
        {number_of(dats, arg.dat), arg.map != nullptr ? arg.map->index : -1, arg.access});
  }
  loop.reduction = loop.reduction || !modifies;
  return loop;
}

/// Level up to which rows must exist for a chain by itself.
core::Level rows_needed(const core::Queue& queue, RecordRange range, bool keep_all) {
  const ChainDescription chain = describe_chain(queue, range, keep_all);
  const std::vector<core::Level> owned(chain.dats.size(), 0);
  return analyse_chain(chain.loops, owned, owned).rows;
}

}  // namespace

std::vector<RecordRange> cut_chains(const core::Queue& queue, const ChainLimits& limits) {
  std::vector<RecordRange> chains;
  Reduced reduced;
  std::size_t begin = 0, next = 0;  // of the chain; of the next loop with its assignments
  bool empty = true;                // the chain has no loop yet
  const auto records = queue.records();
  for (std::size_t k = 0; k < records.size(); ++k) {
    if (records[k].is_assignment()) continue;
    const auto args = queue.args_of(records[k]);
    const bool bounded = limits.rows != core::every_level;
    if (!empty &&
        (needs_combined(args, reduced) ||
         (bounded && rows_needed(queue, {begin, k + 1}, limits.keep_all) > limits.rows))) {
      chains.push_back({begin, next});
      begin = next;
      reduced.clear();
    }
    for (const core::LoopArg& arg : args)
      if (arg.is_reduction() && arg.global != nullptr) reduced.emplace(arg.global, arg.access);
    empty = false;
    next = k + 1;
  }
  chains.push_back({begin, records.size()});
  return chains;
}

ChainDescription describe_chain(const core::Queue& queue, RecordRange chain, bool keep_all) {
  ChainDescription description;
  for (const core::LoopRecord& record : records_in(queue, chain))
    description.loops.push_back(
        record.is_assignment()
            ? core::ChainLoop{{}, false}
            : describe_loop(*record.set, queue.args_of(record), keep_all, description.dats));
  return description;
}

std::vector<core::Level> interiors_of(const core::Queue& queue, const Chain& chain,
                                      const std::vector<LoopLevels>& levels,
                                      const std::vector<LoopGroup>& groups) {
  const ChainDescription description = describe_chain(queue, chain.records);
  const std::size_t dats = description.dats.size();
  core::ChainLevels demand{{}, std::vector<core::Level>(dats, core::no_level)};
  std::vector<core::Level> valid(dats, core::every_level);
  for (const comm::DatLayers& layers : chain.exchanged) {
    const auto k = std::ranges::find(description.dats, layers.dat) - description.dats.begin();
    demand.need[k] = layers.to;
    valid[k] = layers.from;
  }
  for (std::size_t k = chain.records.begin; k < chain.records.end; ++k)
    demand.extent.push_back(levels[k].extent);
  return chain_interior(description.loops, demand, valid, groups, chain.records.begin);
}

namespace {

/// Validity of a dat, by that of all dats. With a local map, level 2 has no more rows than the
/// owned ones.
core::Level validity_of(const core::Dat* dat, const std::vector<core::Level>& valid) {
  const core::Level level = valid[dat->index];
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
    for (const RecordRange& group : groups_of(range)) add_group(group, group.begin == range.begin);
  }

  Analysis take() {
    for (const Chain& chain : result_.chains) find_interior(chain);
    return std::move(result_);
  }

 private:
  std::vector<RecordRange> groups_of(RecordRange range) const {
    if (options_.halos == Halos::per_loop) return loops_of(queue_, range);
    if (groups_.empty()) return {range};
    std::vector<RecordRange> inside;
    for (const RecordRange& group : groups_)
      if (group.begin >= range.begin && group.end <= range.end) inside.push_back(group);
    return inside;
  }

  void add_group(RecordRange range, bool begins_chain) {
    const ChainDescription described = describe_chain(queue_, range, options_.keep_all);
    std::vector<core::Level> valid;
    for (const core::Dat* dat : described.dats)
      valid.push_back(validity_of(dat, result_.valid_after));
    const core::ChainLevels levels = levels_of(described, valid);
    std::vector<comm::DatLayers> missing = missing_layers(described, valid, levels);
    if (begins_chain || !(missing.empty() || may_begin_with(missing)))
      result_.chains.push_back({range, {}, 0});
    Chain& chain = result_.chains.back();
    chain.records.end = range.end;
    if (!missing.empty()) chain.exchanged = std::move(missing);
    for (const comm::DatLayers& layers : chain.exchanged)
      chain.layers = std::max(chain.layers, (layers.to + 1) / 2);
    for (std::size_t k = range.begin; k < range.end; ++k)
      result_.loops[k].extent = levels.extent[k - range.begin];
    for (std::size_t k = 0; k < described.dats.size(); ++k)
      result_.valid_after[described.dats[k]->index] = levels.valid[k];
    result_.rows = std::max(result_.rows, levels.rows);
  }

  core::ChainLevels levels_of(const ChainDescription& described,
                              const std::vector<core::Level>& valid) const {
    core::ChainLevels levels =
        analyse_chain(described.loops, valid, std::vector<core::Level>(valid.size(), 0));
    if (options_.halos == Halos::none)
      for (auto* some : {&levels.extent, &levels.valid})
        for (core::Level& level : *some) level = std::min(level, 0);
    else if (options_.widens)
      widen(levels, described.loops, valid);
    return levels;
  }

  std::vector<comm::DatLayers> missing_layers(const ChainDescription& described,
                                              const std::vector<core::Level>& valid,
                                              const core::ChainLevels& levels) const {
    std::vector<comm::DatLayers> missing;
    if (options_.halos == Halos::none) return missing;
    for (std::size_t k = 0; k < valid.size(); ++k) {
      const core::Level from = std::max(valid[k], 0);
      if (levels.need[k] > from) missing.push_back({described.dats[k], from, levels.need[k]});
    }
    return missing;
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

  /// What runs while the messages before the first loop are under way.
  void find_interior(const Chain& chain) {
    if (chain.exchanged.empty()) return;
    std::vector<LoopGroup> loops;
    for (std::size_t k = chain.records.begin; k < chain.records.end; ++k)
      if (result_.loops[k].extent != core::no_level) loops.push_back({{k}});
    const std::vector<core::Level> interior = interiors_of(queue_, chain, result_.loops, loops);
    for (std::size_t k = 0; k < loops.size(); ++k)
      result_.loops[loops[k].position()].interior = interior[k];
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
