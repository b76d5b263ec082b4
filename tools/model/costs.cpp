// SPDX-License-Identifier: BSD-3-Clause
#include "costs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "failure.hpp"

namespace op2::model {
namespace {

/// The loop of a name; null if no sequence has it.
const core::RecordedLoop* loop_named(const core::RunRecord& record, const std::string& name) {
  for (const core::RecordedSequence& sequence : record.sequences)
    for (const core::RecordedLoop& loop : sequence)
      if (loop.name == name && loop.set >= 0) return &loop;
  return nullptr;
}

}  // namespace

double traffic_of(const core::RunRecord& record, const std::string& name) {
  const core::RecordedLoop* const loop = loop_named(record, name);
  if (loop == nullptr) return 1;
  const auto size = [&](int set) {
    return static_cast<double>(
        std::max<std::int64_t>(1, record.sets[static_cast<std::size_t>(set)].size));
  };
  std::map<int, double> dats, maps;  // each counts once
  for (const core::RecordedArg& arg : loop->args) {
    if (arg.dat < 0) continue;
    const core::RecordedDat& dat = record.dats[static_cast<std::size_t>(arg.dat)];
    const bool both = arg.access == OP_RW || arg.access == OP_INC;
    dats[arg.dat] = (both ? 2 : 1) * dat.bytes * std::min(1.0, size(dat.set) / size(loop->set));
    if (arg.map < 0) continue;
    constexpr double entry = sizeof(std::int32_t);
    maps[arg.map] = entry * record.maps[static_cast<std::size_t>(arg.map)].arity;
  }
  double bytes = 1;
  for (const auto* some : {&dats, &maps})
    for (const auto& [index, count] : *some) bytes += count;
  return bytes;
}

void CostCurve::add(double iterations, double seconds) {
  Point& point = points_[std::log(std::max(iterations, 1.0))];
  point.seconds += seconds;
  ++point.count;
}

double CostCurve::at(double iterations) const {
  if (points_.empty()) return 0;
  const double size = std::log(std::max(iterations, 1.0));
  const auto above = points_.lower_bound(size);
  if (above == points_.end()) return std::prev(above)->second.mean();
  if (above == points_.begin()) return above->second.mean();
  const auto below = std::prev(above);
  const double part = (size - below->first) / (above->first - below->first);
  return (1 - part) * below->second.mean() + part * above->second.mean();
}

double CostCurve::distance(double iterations) const {
  double nearest = std::numeric_limits<double>::infinity();
  for (const auto& [size, point] : points_)
    nearest = std::min(nearest, std::fabs(size - std::log(std::max(iterations, 1.0))));
  return nearest;
}

Costs::Costs(std::span<const core::RunRecord> records, double scale) : scale_(scale) {
  for (const core::RunRecord& record : records) {
    if (record.program != records.front().program)
      throw Failure(
          fmt::format("costs of another program: '{}', and the run is of '{}'; record "
                      "that program in other sizes",
                      record.program, records.front().program));
    for (const core::RecordedCost& cost : record.costs) add(cost);
  }
  for (const core::RunRecord& record : records)
    for (const core::RecordedCost& cost : record.costs)
      if (cost.loops.size() > 1) divide(record, cost);
}

void Costs::add(const core::RecordedCost& cost) {
  if (cost.calls == 0 || cost.elements == 0) return;
  Curves& curves = curves_[cost.loops];
  const auto elements = static_cast<double>(cost.elements);
  (cost.way == core::Way::tiled ? curves.tiles : curves.alone)
      .add(elements / static_cast<double>(cost.calls), cost.seconds / elements);
  longest_ = std::max(longest_, cost.loops.size());
}

void Costs::divide(const core::RunRecord& record, const core::RecordedCost& cost) {
  double all = 0;
  for (const std::string& loop : cost.loops) all += traffic_of(record, loop);
  for (const std::string& loop : cost.loops) {
    if (curves_.contains({loop}) && !divided_.contains(loop)) continue;
    divided_.insert(loop);
    core::RecordedCost part = cost;
    part.loops = {loop};
    part.seconds *= traffic_of(record, loop) / all;
    add(part);
  }
}

double Costs::of(const LoopNames& loops, bool grouped, double iterations) const {
  const auto found = curves_.find(loops);
  if (found == curves_.end()) return 0;
  const auto& [alone, tiles] = found->second;
  const bool in_tiles = alone.empty() || (grouped && !tiles.empty() &&
                                          tiles.distance(iterations) <= alone.distance(iterations));
  return scale_ * (in_tiles ? tiles : alone).at(iterations);
}

std::set<std::string> Costs::unknown(const core::RunRecord& record) const {
  std::set<std::string> names;
  for (const core::RecordedSequence& sequence : record.sequences)
    for (const core::RecordedLoop& loop : sequence)
      if (loop.set >= 0 && !curves_.contains({loop.name})) names.insert(loop.name);
  return names;
}

}  // namespace op2::model
