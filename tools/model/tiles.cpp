// SPDX-License-Identifier: BSD-3-Clause
#include "tiles.hpp"

#include <map>
#include <set>

#include <sched/executor/cpu/tile_model.hpp>

namespace op2::model {
namespace {

/// What loops do to data.
struct Uses {
  std::map<int, std::pair<bool, bool>> dats;  ///< read, modified
  std::set<int> maps;

  void add(const core::RecordedLoop& loop) {
    for (const core::RecordedArg& arg : loop.args) {
      if (arg.map >= 0) maps.insert(arg.map);
      if (arg.dat < 0) continue;
      auto& [reads, modifies] = dats[arg.dat];
      reads = reads || arg.access != OP_WRITE;
      modifies = modifies || arg.access != OP_READ;
    }
  }
};

double elements_of(const core::RunRecord& record, int set) {
  return static_cast<double>(record.sets[static_cast<std::size_t>(set)].size);
}

double bytes_of_dat(const core::RunRecord& record, int index) {
  const core::RecordedDat& dat = record.dats[static_cast<std::size_t>(index)];
  return dat.bytes * elements_of(record, dat.set);
}

double bytes_of_maps(const core::RunRecord& record, const Uses& uses) {
  double bytes = 0;
  for (const int index : uses.maps) {
    const core::RecordedMap& map = record.maps[static_cast<std::size_t>(index)];
    bytes += static_cast<double>(sizeof(std::int32_t)) * map.arity * elements_of(record, map.from);
  }
  return bytes;
}

}  // namespace

bool saves_traffic_in_tiles(const core::RunRecord& record, std::span<const LoopNames> steps) {
  sched::TileTraffic traffic{0, 0, 0, 0};
  Uses all;
  for (const LoopNames& names : steps) {
    Uses step;
    for (const std::string& name : names)
      if (const core::RecordedLoop* loop = loop_named(record, name)) {
        step.add(*loop);
        all.add(*loop);
      }
    traffic.loop_by_loop += bytes_of_maps(record, step);
    for (const auto& [dat, use] : step.dats)
      traffic.loop_by_loop += bytes_of_dat(record, dat) * (int{use.first} + int{use.second});
  }
  traffic.once = bytes_of_maps(record, all);
  for (const auto& [dat, use] : all.dats)
    traffic.once += bytes_of_dat(record, dat) * (use.second ? 2 : 1);
  return sched::saves_enough(traffic);
}

}  // namespace op2::model
