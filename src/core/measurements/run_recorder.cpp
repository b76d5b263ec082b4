// SPDX-License-Identifier: BSD-3-Clause
#include <core/measurements/run_recorder.hpp>

#include <algorithm>

#include <core/mesh.hpp>
#include <core/value_type.hpp>

namespace op2::core {
namespace {

/// Later ones are only counted: 4 MiB.
constexpr std::size_t most_events = std::size_t{1} << 20;

RecordedArg recorded(const LoopArg& arg) {
  RecordedArg made{.access = arg.access};
  if (arg.is_active_dat()) {
    made.dat = arg.dat->index;
    if (arg.map != nullptr) made.map = arg.map->index, made.column = arg.column;
    return made;
  }
  if (arg.global != nullptr) made.global = arg.global->index;
  made.bytes = static_cast<int>(size_of(arg.type, arg.dim));
  return made;
}

RecordedLoop recorded(const Queue& queue, const LoopRecord& record) {
  if (record.is_assignment())
    return {"",
            -1,
            0,
            {{.global = record.target->index,
              .bytes = static_cast<int>(record.target->value.bytes()),
              .access = OP_WRITE}}};
  RecordedLoop loop{record.name, record.set->index, record.colour, {}};
  for (const LoopArg& arg : queue.args_of(record))
    if (arg.active && arg.kind != OP_ARG_IDX) loop.args.push_back(recorded(arg));
  return loop;
}

}  // namespace

void RunRecorder::planned(const Queue& queue, std::int64_t plan) {
  planned_ = makes_plan_ = true;
  RecordedSequence sequence;
  for (const LoopRecord& record : queue.records()) sequence.push_back(recorded(queue, record));
  auto known = std::ranges::find(sequences_, sequence);
  if (known == sequences_.end()) known = sequences_.insert(known, std::move(sequence));
  sequence_of_plan_[plan] = static_cast<int>(known - sequences_.begin());
}

void RunRecorder::executed(std::int64_t plan, double loop_seconds) {
  const int sequence = sequence_of_plan_.at(plan);
  const double now = clock_();
  host_.resize(sequences_.size());
  if (!planned_) {
    RecordedHost& host = host_[static_cast<std::size_t>(sequence)];
    ++host.times;
    host.seconds += std::max(0.0, now - last_end_ - loop_seconds);
  }
  planned_ = false;
  last_end_ = now;
  happened(sequence);
}

void RunRecorder::fetched(const Global& global) {
  happened(fetch_of(global.index));
}

void RunRecorder::part_begins(Part part) {
  if (part != Part::plans) return;
  makes_plan_ = false;
  planning_since_ = Clock::now();
}

void RunRecorder::part_ends(Part part) {
  if (part == Part::plans && makes_plan_) plan_seconds_ += seconds_since(planning_since_);
}

void RunRecorder::step_timed(const LoopRow& row, Way way, std::int64_t iterations, double seconds) {
  WayCost& cost = costs_[&row][static_cast<std::size_t>(way)];
  cost.seconds += seconds;
  cost.elements += iterations;
  if (iterations > 0) ++cost.calls;
  if (cost.calls == 1) cost.first_seconds += seconds, cost.first_elements += iterations;
}

/// Without the first call, unless it is the only one. Steps on a GPU are timed by their rows.
RecordedCost RunRecorder::cost_of(const LoopRow& row, Way way, const RowCosts& costs) {
  const std::vector<std::string> loops = row.loops.empty() ? std::vector{row.name} : row.loops;
  const WayCost& cost = costs[static_cast<std::size_t>(way)];
  if (cost.calls > 1)
    return {loops, way, cost.calls - 1, cost.elements - cost.first_elements,
            cost.seconds - cost.first_seconds};
  const bool by_row = way == Way::alone && row.seconds > 0 &&
                      std::ranges::all_of(costs, [](const WayCost& any) { return any.calls == 0; });
  if (by_row) return {loops, way, row.calls, row.elements, row.seconds};
  return {loops, way, cost.calls, cost.elements, cost.seconds};
}

void RunRecorder::happened(int event) {
  if (events_.size() < most_events)
    events_.push_back(event);
  else
    ++left_out_;
}

void RunRecorder::put(const LoopTable& table, RunRecord& record) const {
  record.sequences = sequences_;
  record.events = folded(events_);
  record.events_left_out = left_out_;
  record.host = host_;
  record.host.resize(sequences_.size());
  record.plan_seconds = plan_seconds_;
  record.partition = partition_;
  for (const LoopRow& row : table.rows()) {
    const auto costs = costs_.find(&row);
    for (std::size_t way = 0; way < ways; ++way)
      record.costs.push_back(
          cost_of(row, static_cast<Way>(way), costs == costs_.end() ? RowCosts{} : costs->second));
  }
}

}  // namespace op2::core
