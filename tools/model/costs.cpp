// SPDX-License-Identifier: BSD-3-Clause
#include "costs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "files.hpp"

namespace op2::model {
namespace {

/// Sequences that were executed more than once; all, if none was.
std::vector<const core::RecordedSequence*> repeated(const core::RunRecord& record) {
  std::map<int, std::int64_t> times;
  for (const core::RecordedEvents& some : record.events)
    for (const int event : some.events)
      if (event >= 0) times[event] += some.times;
  const bool any = std::ranges::any_of(times, [](const auto& one) { return one.second > 1; });
  std::vector<const core::RecordedSequence*> found;
  for (const auto& [sequence, count] : times)
    if (!any || count > 1) found.push_back(&record.sequences[static_cast<std::size_t>(sequence)]);
  return found;
}

/// Seconds of an iteration and of moving a byte, in parts of one size.
struct Calibrated {
  double iteration = 0, byte = 0;
};

/// A loop takes as long as its work or as its bytes, whichever is more (the roofline model of
/// Williams, Waterman and Patterson): at `large` its bytes, at `small` its work. One that grows as
/// much as the time of a byte, or more, has no work that hides bytes, and is linear in it; so is
/// one that falls.
/// @param byte  seconds of moving a byte in the part in question
double grown(const Calibrated& small, const Calibrated& large, double byte) {
  const double bytes = large.iteration * byte / large.byte;  // seconds of the loop's bytes
  const bool hidden = large.iteration * small.byte < small.iteration * large.byte;
  if (small.iteration < large.iteration && hidden)
    return std::clamp(bytes, small.iteration, large.iteration);
  const double share = (byte - small.byte) / (large.byte - small.byte);
  return std::lerp(small.iteration, large.iteration, std::clamp(share, 0.0, 1.0));
}

/// Null: no sequence has it.
const core::RecordedLoop* loop_named(const core::RunRecord& record, const std::string& name) {
  for (const core::RecordedSequence& sequence : record.sequences)
    for (const core::RecordedLoop& loop : sequence)
      if (loop.name == name && loop.set >= 0) return &loop;
  return nullptr;
}

}  // namespace

double working_bytes(const core::RunRecord& record, std::span<const double> elements) {
  std::set<int> dats, maps;
  for (const core::RecordedSequence* sequence : repeated(record))
    for (const core::RecordedLoop& loop : *sequence)
      for (const core::RecordedArg& arg : loop.args) {
        if (arg.map >= 0) maps.insert(arg.map);
        if (arg.dat >= 0) dats.insert(arg.dat);
      }
  const auto of_set = [&](int set) { return elements[static_cast<std::size_t>(set)]; };
  double bytes = 0;
  for (const int index : dats) {
    const core::RecordedDat& dat = record.dats[static_cast<std::size_t>(index)];
    bytes += dat.bytes * of_set(dat.set);
  }
  for (const int index : maps) {
    const core::RecordedMap& map = record.maps[static_cast<std::size_t>(index)];
    bytes += static_cast<double>(sizeof(std::int32_t)) * map.arity * of_set(map.from);
  }
  return std::max(1.0, bytes);
}

double mean_working_bytes(const core::RunRecord& record, int ranks) {
  std::vector<double> elements;
  for (const core::RecordedSet& set : record.sets)
    elements.push_back(static_cast<double>(set.size) / ranks);
  return working_bytes(record, elements);
}

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
  for (const auto* moved : {&dats, &maps})
    for (const auto& [index, count] : *moved) bytes += count;
  return bytes;
}

void CostCurve::add(double bytes, double seconds) {
  const auto position = std::ranges::lower_bound(points_, bytes, {}, &Point::bytes);
  const bool known = position != points_.end() && position->bytes == bytes;
  Point& point = known ? *position : *points_.insert(position, {bytes, 0, 0});
  point.sum += seconds;
  ++point.count;
}

double CostCurve::at(double bytes, const Machine& machine) const {
  if (points_.empty()) return 0;
  const auto logarithm = [](double x) { return std::log(x); };
  const auto [point, part] = sched::interpolation(points_, bytes, &Point::bytes, logarithm);
  const double low = points_[point].mean();
  if (part == 0) return low;
  const double high = points_[point + 1].mean();
  if (machine.caches.empty()) return low + part * (high - low);
  const double fast = machine.seconds_per_byte(points_[point].bytes);
  const double slow = machine.seconds_per_byte(points_[point + 1].bytes);
  constexpr double equal = 1.05;
  if (slow < equal * fast) return low + part * (high - low);
  return grown({low, fast}, {high, slow}, machine.seconds_per_byte(bytes));
}

double CostCurve::nearest(double bytes) const {
  const auto distance_to = [&](const Point& point) {
    return std::fabs(std::log(point.bytes / bytes));
  };
  return points_.empty() ? 0 : std::ranges::min_element(points_, {}, distance_to)->bytes;
}

bool CostCurve::spans(double bytes) const {
  return !points_.empty() && points_.front().bytes <= bytes && bytes <= points_.back().bytes;
}

double CostCurve::distance(double bytes) const {
  return points_.empty() ? std::numeric_limits<double>::infinity()
                         : std::fabs(std::log(nearest(bytes) / bytes));
}

Costs::Costs(std::span<const core::RunRecord> records, const Machine& machine, double scale)
    : machine_(machine), scale_(scale) {
  std::vector<double> sizes;
  for (const core::RunRecord& record : records) {
    if (record.program != records.front().program)
      throw Failure(
          fmt::format("costs of another program: '{}', and the run is of '{}'; record "
                      "that program in other sizes",
                      record.program, records.front().program));
    sizes.push_back(mean_working_bytes(record, record.ranks));
    for (const core::RecordedCost& cost : record.costs)
      if (cost.loops.size() == 1) add(cost, cost.loops.front(), 1, sizes.back());
    add_host(record);
  }
  for (std::size_t k = 0; k < records.size(); ++k)
    for (const core::RecordedCost& cost : records[k].costs)
      if (cost.loops.size() > 1) divide(records[k], cost, sizes[k]);
}

/// @param share  of the seconds
void Costs::add(const core::RecordedCost& cost, const std::string& loop, double share,
                double bytes) {
  if (cost.calls == 0 || cost.elements == 0) return;
  Curves& curves = curves_[loop];
  CostCurve& curve = cost.way == core::Way::tiled ? curves.tiled
                     : cost.loops.size() > 1      ? curves.fused
                                                  : curves.alone;
  curve.add(bytes, share * cost.seconds / static_cast<double>(cost.elements));
}

/// As the loops take alone; if that is not known, by the bytes that they move.
void Costs::divide(const core::RunRecord& record, const core::RecordedCost& cost, double bytes) {
  std::vector<double> parts;
  for (const std::string& loop : cost.loops)
    parts.push_back(curves_[loop].alone.at(bytes, machine_));
  if (std::ranges::count(parts, 0) > 0)
    for (std::size_t k = 0; k < parts.size(); ++k) {
      parts[k] = traffic_of(record, cost.loops[k]);
      if (curves_[cost.loops[k]].alone.empty()) divided_.insert(cost.loops[k]);
    }
  const double all = std::accumulate(parts.begin(), parts.end(), 0.0);
  for (std::size_t k = 0; k < parts.size(); ++k) add(cost, cost.loops[k], parts[k] / all, bytes);
}

void Costs::add_host(const core::RunRecord& record) {
  if (record.ranks > 1) return;  // waits are in it
  for (std::size_t k = 0; k < record.host.size(); ++k) {
    const core::RecordedSequence& sequence = record.sequences[k];
    auto known =
        std::ranges::find_if(host_, [&](const auto& host) { return host.first == sequence; });
    if (known == host_.end()) known = host_.insert(known, {sequence, {}});
    known->second.times += record.host[k].times;
    known->second.seconds += record.host[k].seconds;
  }
}

double Costs::host(const core::RecordedSequence& sequence) const {
  double seconds = 0, loops = 0;
  for (const auto& [known, host] : host_) {
    if (known == sequence && host.times > 0)
      return scale_ * host.seconds / static_cast<double>(host.times);
    seconds += host.seconds;
    loops += static_cast<double>(host.times) * static_cast<double>(known.size());
  }
  return loops > 0 ? scale_ * seconds / loops * static_cast<double>(sequence.size()) : 0;
}

sched::LoopCost Costs::loop_cost(const std::string& loop, double bytes) const {
  sched::LoopCost cost;
  const auto found = curves_.find(loop);
  if (found == curves_.end()) return cost;
  const auto& [alone, tiled, fused] = found->second;
  const auto set = [&](core::Way way, const CostCurve& curve) {
    if (!curve.empty())
      cost.seconds[static_cast<std::size_t>(way)] = scale_ * curve.at(bytes, machine_);
  };
  set(core::Way::alone, alone);
  set(core::Way::fused, fused);
  if (alone.empty() || tiled.distance(bytes) <= alone.distance(bytes)) set(core::Way::tiled, tiled);
  return cost;
}

std::set<std::string> Costs::unknown(const core::RunRecord& record) const {
  std::set<std::string> names;
  for (const core::RecordedSequence& sequence : record.sequences)
    for (const core::RecordedLoop& loop : sequence)
      if (loop.set >= 0 && !curves_.contains(loop.name)) names.insert(loop.name);
  return names;
}

double Costs::steepness(double bytes) const {
  constexpr double same_size = 1.25;
  double most = 1;  // of the loops
  if (machine_.caches.empty()) return most;
  const auto factor = [&](double from, double to) {
    const double ratio = machine_.seconds_per_byte(to) / machine_.seconds_per_byte(from);
    return std::max(ratio, 1 / ratio);
  };
  for (const auto& [loop, curves] : curves_) {
    const CostCurve& curve = curves.alone;
    if (curve.empty() || curve.distance(bytes) < std::log(same_size)) continue;
    most = std::max(most, curve.spans(bytes) ? factor(bytes / 2, 2 * bytes)
                                             : factor(curve.nearest(bytes), bytes));
  }
  return most;
}

}  // namespace op2::model
