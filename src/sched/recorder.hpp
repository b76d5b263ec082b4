// SPDX-License-Identifier: BSD-3-Clause
// OP2_MODEL: which sequences of loops an engine executes, in which order, and which rows of the
// per-loop table their steps count in.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <core/queue.hpp>
#include <core/run_record.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// Local; what it records is equal on all ranks, but for times.
class Recorder {
 public:
  /// Of a plan that was made: its sequence, unless that is known. Cost: a comparison with each.
  /// @param queue  with the access that plans count with, and a record for each colour
  /// @return the sequence, by its position
  int add(const core::Queue& queue, const Plan& plan);
  /// @param now    seconds at the end of the flush, by the clock of the message layer
  /// @param spent  seconds that its steps took
  void executed(const Plan& plan, double now, double spent);
  /// The program gets the value of a global.
  void fetched(const core::Global& global) { happened(core::fetch_of(global.index)); }
  /// Seconds of making a plan.
  void spend(double seconds) { plan_seconds_ += seconds; }
  void partitioned(core::RecordedPartition how) { partition_ = std::move(how); }

  /// Sequences, events, costs, and times of the start and of the program, in `record`: two costs
  /// for each row, equal on all ranks but for their numbers, which may be 0.
  /// @param table  the rows of the plans
  void put(const core::LoopTable& table, core::RunRecord& record) const;

 private:
  void happened(int event);

  std::vector<core::RecordedSequence> sequences_;
  std::vector<core::RecordedHost> host_;  ///< per sequence
  double last_end_ = 0;                   ///< of a flush
  bool planned_ = true;                   ///< since then
  std::vector<int> events_;
  std::int64_t left_out_ = 0;
  std::map<std::string, std::vector<std::string>> loops_of_row_;  ///< of fused loops
  double plan_seconds_ = 0;
  core::RecordedPartition partition_;
};

}  // namespace op2::sched
