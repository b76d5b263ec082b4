// SPDX-License-Identifier: BSD-3-Clause
#include <sched/recorder.hpp>

#include <algorithm>

#include <core/value_type.hpp>

namespace op2::sched {
namespace {

/// Later ones are only counted: 4 MiB.
constexpr std::size_t most_events = std::size_t{1} << 20;

core::RecordedArg recorded(const core::LoopArg& arg) {
  core::RecordedArg made{.column = arg.column, .access = arg.access};
  if (arg.is_active_dat()) {
    made.dat = arg.dat->index;
    if (arg.map != nullptr) made.map = arg.map->index;
    return made;
  }
  if (arg.global != nullptr) made.global = arg.global->index;
  made.bytes = static_cast<int>(core::size_of(arg.type, arg.dim));
  return made;
}

core::RecordedLoop recorded(const core::Queue& queue, const core::LoopRecord& record) {
  if (record.is_assignment())
    return {"",
            -1,
            0,
            {{.global = record.target->index,
              .bytes = static_cast<int>(record.target->value.bytes()),
              .access = OP_WRITE}}};
  core::RecordedLoop loop{record.name, record.set->index, record.colour, {}};
  for (const core::LoopArg& arg : queue.args_of(record))
    if (arg.active && arg.kind != OP_ARG_IDX) loop.args.push_back(recorded(arg));
  return loop;
}

/// Without the first call, unless it is the only one. Steps on a GPU are timed by their rows.
core::RecordedCost cost_of(const core::LoopRow& row, core::Way way,
                           const std::vector<std::string>& loops) {
  const core::WayCost& cost = row.costs[static_cast<std::size_t>(way)];
  if (cost.calls > 1)
    return {loops, way, cost.calls - 1, cost.elements - cost.first_elements,
            cost.seconds - cost.first_seconds};
  const bool by_row =
      way == core::Way::alone && row.seconds > 0 &&
      std::ranges::all_of(row.costs, [](const core::WayCost& any) { return any.calls == 0; });
  if (by_row) return {loops, way, row.calls, row.elements, row.seconds};
  return {loops, way, cost.calls, cost.elements, cost.seconds};
}

}  // namespace

int Recorder::add(const core::Queue& queue, const Plan& plan) {
  planned_ = true;
  core::RecordedSequence sequence;
  for (const core::LoopRecord& record : queue.records())
    sequence.push_back(recorded(queue, record));
  for (std::size_t s = 0; s < plan.steps.all.size(); ++s) {
    if (plan.rows[s].members.empty()) continue;
    auto& loops = loops_of_row_[plan.rows[s].row->name];
    loops.clear();
    for (const core::LoopRow* member : plan.rows[s].members) loops.push_back(member->name);
  }
  auto known = std::ranges::find(sequences_, sequence);
  if (known == sequences_.end()) known = sequences_.insert(known, std::move(sequence));
  return static_cast<int>(known - sequences_.begin());
}

void Recorder::executed(const Plan& plan, double now, double spent) {
  host_.resize(sequences_.size());
  if (!planned_) {
    core::RecordedHost& host = host_[static_cast<std::size_t>(plan.recorded)];
    ++host.times;
    host.seconds += std::max(0.0, now - last_end_ - spent);
  }
  planned_ = false;
  last_end_ = now;
  happened(plan.recorded);
}

void Recorder::happened(int event) {
  if (events_.size() < most_events)
    events_.push_back(event);
  else
    ++left_out_;
}

void Recorder::put(const core::LoopTable& table, core::RunRecord& record) const {
  record.sequences = sequences_;
  record.events = core::folded(events_);
  record.events_left_out = left_out_;
  record.host = host_;
  record.host.resize(sequences_.size());
  record.plan_seconds = plan_seconds_;
  record.partition = partition_;
  for (const core::LoopRow& row : table.rows()) {
    const auto fused = loops_of_row_.find(row.name);
    const std::vector<std::string> loops =
        fused != loops_of_row_.end() ? fused->second : std::vector{row.name};
    for (std::size_t way = 0; way < core::ways; ++way)
      record.costs.push_back(cost_of(row, static_cast<core::Way>(way), loops));
  }
}

}  // namespace op2::sched
