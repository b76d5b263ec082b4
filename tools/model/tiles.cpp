// SPDX-License-Identifier: BSD-3-Clause
#include "tiles.hpp"

#include <algorithm>
#include <map>

#include <sched/executor/cpu/tiles.hpp>

#include "data_uses.hpp"

namespace op2::model {

double saved_in_tiles(const core::RunRecord& record, std::span<const LoopNames> steps) {
  const std::vector<double> elements =
      elements_per_rank(record, 1);  // the same part of each counts
  sched::TileTraffic traffic{0, 0, 0, 0};
  DataUses all;
  std::map<int, double> reached;  // bytes of each dat, as far as one of the steps can access it
  for (const LoopNames& names : steps) {
    DataUses step;
    double iterations = 0;
    for (const std::string& name : names)
      if (const core::RecordedLoop* loop = loop_named(record, name)) {
        step.add(*loop);
        all.add(*loop);
        iterations = elements[static_cast<std::size_t>(loop->set)];
      }
    traffic.loop_by_loop += bytes_of_maps(record, step, elements);
    for (const auto& [dat, use] : step.dats) {
      traffic.loop_by_loop += bytes_of_dat(record, dat, elements, use.args * iterations) *
                              (int{use.reads} + int{use.modifies});
      reached[dat] = std::max(reached[dat], bytes_of_dat(record, dat, elements, iterations));
    }
  }
  traffic.once = bytes_of_maps(record, all, elements);
  for (const auto& [dat, bytes] : reached)
    traffic.once += bytes * (all.dats.at(dat).modifies ? 2 : 1);
  return sched::saves_enough(traffic) ? 1 - traffic.once / traffic.loop_by_loop : 0;
}

}  // namespace op2::model
