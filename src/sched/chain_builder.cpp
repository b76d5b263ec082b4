// SPDX-License-Identifier: BSD-3-Clause
#include <sched/chain_builder.hpp>

#include <algorithm>
#include <set>

#include <sched/numbering.hpp>

namespace op2::sched {
namespace {

bool reads_any(std::span<const core::LoopArg> args, const std::set<const core::Global*>& reduced) {
  return std::any_of(args.begin(), args.end(), [&](const core::LoopArg& arg) {
    return arg.active && arg.global != nullptr && !arg.modifies() && reduced.contains(arg.global);
  });
}

core::ChainLoop describe_loop(std::span<const core::LoopArg> args, std::vector<core::Dat*>& dats) {
  core::ChainLoop loop{{}, false};
  for (const core::LoopArg& arg : args) {
    loop.reduction = loop.reduction || arg.is_reduction();
    if (arg.is_active_dat())
      loop.args.push_back(
          {number_of(dats, arg.dat), arg.map != nullptr ? arg.map->index : -1, arg.access});
  }
  return loop;
}

}  // namespace

std::vector<RecordRange> cut_chains(const core::Queue& queue) {
  std::vector<RecordRange> chains;
  std::set<const core::Global*> reduced;
  std::size_t begin = 0;
  const auto records = queue.records();
  for (std::size_t k = 0; k < records.size(); ++k) {
    const auto args = queue.args_of(records[k]);
    if (reads_any(args, reduced)) {
      chains.push_back({begin, k});
      begin = k;
      reduced.clear();
    }
    for (const core::LoopArg& arg : args)
      if (arg.is_reduction() && arg.global != nullptr) reduced.insert(arg.global);
  }
  chains.push_back({begin, records.size()});
  return chains;
}

ChainDescription describe_chain(const core::Queue& queue, RecordRange chain) {
  ChainDescription description;
  for (const core::LoopRecord& record :
       queue.records().subspan(chain.begin, chain.end - chain.begin))
    if (!record.is_assignment())
      description.loops.push_back(describe_loop(queue.args_of(record), description.dats));
  return description;
}

}  // namespace op2::sched
