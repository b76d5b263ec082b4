// SPDX-License-Identifier: BSD-3-Clause
#include <sched/interiors.hpp>

#include <sched/chain_analysis.hpp>
#include <sched/cut.hpp>

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

}  // namespace op2::sched
