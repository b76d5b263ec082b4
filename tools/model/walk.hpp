// SPDX-License-Identifier: BSD-3-Clause
// Walks over the recorded flushes with a clock for every rank of a cut.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <comm/halo/halo_exchange.hpp>
#include <sched/cost/network.hpp>

#include "costs.hpp"
#include "cut.hpp"
#include "program.hpp"

namespace op2::model {

/// What the walk found. Seconds of loops and overheads are means over the ranks.
struct Prediction {
  struct Flush {
    std::int64_t times = 0;
    double seconds = 0;  ///< of all, on the slowest clock
    double each() const { return times > 0 ? seconds / static_cast<double>(times) : 0; }
  };
  struct Loop {
    std::int64_t calls = 0;
    double seconds = 0;    ///< of all iterations
    double redundant = 0;  ///< of those beyond the owned elements
  };
  int ranks = 0;
  double seconds = 0;          ///< on the slowest clock, without the start
  std::vector<Flush> flushes;  ///< per sequence
  std::map<std::string, Loop> loops;
  sched::Overheads overheads;
  std::int64_t exchanges = 0;
};

/// Messages of a halo exchange between the ranks of a cut, as comm::halo_messages makes them.
/// Ascending by sender, then by receiver. Cost: O(pairs of neighbours x layers).
/// @param exchanged  dats by their index; the cut has these layers
std::vector<sched::Message> messages_of(const Cut& cut, const core::RunRecord& record,
                                        const std::vector<comm::DatLayers>& exchanged);

class Walk {
 public:
  /// All outlive it.
  /// @param busy  ranks of a node that ran at once when the costs were measured
  Walk(const Program& program, const Cut& cut, const Machine& machine, const Costs& costs,
       int busy);

  /// @param schedules  of each sequence
  /// @throws Failure  the cut has too few layers
  Prediction run(const std::vector<Schedule>& schedules) {
    return run(schedules, machine_.network);
  }
  /// @param network  whose messages, packing, reductions and disturbance count
  Prediction run(const std::vector<Schedule>& schedules, const sched::Network& network);

  /// Of each sequence the schedules among which OP2_CHAIN=auto would choose: off, on, and a few
  /// others that the library's own search expects to be the fastest if it repeats, with the sizes
  /// of the rank that has most of each.
  std::vector<std::vector<Schedule>> candidates() const;

 private:
  /// A chain with all that does not depend on clocks.
  struct TimedChain {
    const std::vector<sched::Message>* messages;
    sched::PhaseTimes phases;
    std::vector<Prediction::Loop> loops;  ///< of one execution, per record of the chain
  };
  struct TimedPlan {
    sched::Analysis analysis;
    std::vector<TimedChain> chains;
  };
  /// Sequence, schedule, and validity.
  using PlanKey = std::tuple<std::size_t, Schedule, std::vector<core::Level>>;
  using LoopCosts = std::vector<sched::LoopCost>;  ///< by record of a sequence
  struct State;

  void note_savings();
  LoopCosts costs_of(std::size_t sequence, double bytes) const;
  const TimedPlan& plan_of(std::size_t sequence, const Schedule& schedule,
                           const std::vector<core::Level>& valid);
  void time(std::size_t sequence, std::size_t rank, TimedPlan& plan) const;
  void run_events(const core::RecordedEvents& block, State& state);
  void happen(int event, State& state);
  void flush(std::size_t sequence, State& state);

  const Program& program_;
  const core::RunRecord& record_;
  const Cut& cut_;
  const Machine& machine_;
  const Costs& costs_;
  const sched::TileRules tiles_;
  const double slowdown_;  ///< of what waits for memory
  const double rate_;      ///< bytes per second of a rank when costs were measured; 0: not known
  std::vector<sched::HaloSizes> sizes_;  ///< of each rank
  std::vector<double> part_bytes_;       ///< working bytes of each rank
  std::map<std::string, double> saved_;  ///< of each loop: the most, as costs were recorded
  std::vector<double> host_seconds_;     ///< beside iterations, of each sequence
  std::map<PlanKey, TimedPlan> plans_;
  std::map<std::vector<std::array<int, 3>>, std::vector<sched::Message>> exchanges_;
};

}  // namespace op2::model
