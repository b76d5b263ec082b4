// SPDX-License-Identifier: BSD-3-Clause
// OP2_MODEL: which sequences of loops an engine executes, in which order, and what their rows of
// the per-loop table cost.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <vector>

#include <core/measurements/measurements.hpp>
#include <core/measurements/run_record.hpp>
#include <core/queue.hpp>

namespace op2::core {

/// Local; what it records is equal on all ranks, but for times.
class RunRecorder : public Listener {
 public:
  /// @param clock  seconds, by the clock of the message layer
  explicit RunRecorder(std::function<double()> clock) : clock_(std::move(clock)) {}

  /// Cost: a comparison with each known sequence.
  void planned(const Queue& queue, std::int64_t plan) override;
  void executed(std::int64_t plan, double loop_seconds) override;
  void fetched(const Global& global) override;
  void partitioned(const RecordedPartition& how) override { partition_ = how; }
  void part_begins(Part part) override;
  void part_ends(Part part) override;
  void step_timed(const LoopRow& row, Way way, std::int64_t iterations, double seconds) override;

  /// Sequences, events, costs, and times of the start and of the program, in `record`: a cost for
  /// each row and way, equal on all ranks but for their numbers, which may be 0.
  /// @param table  the rows of the plans
  void put(const LoopTable& table, RunRecord& record) const;

 private:
  /// What phases of a row took in one way.
  struct WayCost {
    std::int64_t calls = 0, elements = 0;
    double seconds = 0;
    /// Of the first call, in which caches were cold and pages missing; part of the sums.
    std::int64_t first_elements = 0;
    double first_seconds = 0;
  };
  using RowCosts = std::array<WayCost, ways>;  ///< of GPUs none
  static RecordedCost cost_of(const LoopRow& row, Way way, const RowCosts& costs);
  void happened(int event);

  const std::function<double()> clock_;
  std::vector<RecordedSequence> sequences_;
  std::map<std::int64_t, int> sequence_of_plan_;
  std::vector<RecordedHost> host_;  ///< per sequence
  double last_end_ = 0;             ///< of a flush
  bool planned_ = true;             ///< since then
  std::vector<int> events_;
  std::int64_t left_out_ = 0;
  std::map<const LoopRow*, RowCosts> costs_;
  Clock::time_point planning_since_;
  bool makes_plan_ = false;  ///< in the present part of the profile
  double plan_seconds_ = 0;
  RecordedPartition partition_;
};

}  // namespace op2::core
