// SPDX-License-Identifier: BSD-3-Clause
#include <sched/analysis/cut.hpp>

#include <algorithm>
#include <map>

#include <sched/analysis/chain_analysis.hpp>
#include <sched/numbering.hpp>

namespace op2::sched {
namespace {

using Reduced = std::map<const core::Global*, op_access>;

/// Whether a loop needs a global that the chain reduces and that the ranks have not combined yet.
bool needs_combined(std::span<const core::LoopArg> args, const Reduced& reduced) {
  return std::any_of(args.begin(), args.end(), [&](const core::LoopArg& arg) {
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
    if (!record.is_assignment())
      description.loops.push_back(
          describe_loop(*record.set, queue.args_of(record), keep_all, description.dats));
  return description;
}

}  // namespace op2::sched
