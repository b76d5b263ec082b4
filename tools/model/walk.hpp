// SPDX-License-Identifier: BSD-3-Clause
// Walks over the recorded flushes with a clock for every rank of a cut.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "clocks.hpp"
#include "costs.hpp"
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
  Overheads overheads;
  std::int64_t exchanges = 0;
};

/// What one rank counts, as op_get_chain_statistics does.
struct RankCounts {
  std::int64_t messages = 0, bytes = 0, rows = 0;
  std::int64_t interior = 0, boundary = 0, redundant = 0;
  bool operator==(const RankCounts&) const = default;
};

/// Of a loop on a rank, in one phase.
struct Iterations {
  std::int32_t all = 0;
  std::int32_t redundant = 0;  ///< of these, those that other ranks execute, too
};

/// While messages are in flight, and after them.
struct PhaseIterations {
  Iterations interior, boundary;
};

class Walk {
 public:
  /// All outlive it.
  /// @param busy  ranks of a node that ran at once when the costs were measured
  Walk(const Program& program, const Cut& cut, const Machine& machine, const Costs& costs,
       int busy);

  /// @param schedules  of each sequence
  /// @throws Failure  the cut has too few layers
  Prediction run(const std::vector<Schedule>& schedules) { return run(schedules, machine_); }
  /// @param network  whose messages, packing, reductions and disturbance count
  Prediction run(const std::vector<Schedule>& schedules, const Machine& network);

  /// What each rank counts in these sequences, one after the other.
  std::vector<RankCounts> count(const std::vector<std::size_t>& sequences,
                                const Schedule& schedule);

 private:
  /// A step of a chain: loops that are executed as one.
  struct Step {
    LoopNames names;
    int set;
    sched::LoopLevels levels;
    double colours;    ///< of which this is one
    double bytes = 0;  ///< that an iteration moves
  };
  /// A chain with all that does not depend on clocks.
  struct TimedChain {
    const ModelChain* chain;
    const std::vector<PairMessage>* messages;
    std::vector<Step> steps;
    std::vector<double> gains;  ///< of each step, see Costs::of
    PhaseTimes phases;
    std::vector<Prediction::Loop> loops;  ///< of one execution, per step
  };
  struct TimedPlan {
    ModelPlan plan;
    std::vector<TimedChain> chains;
  };
  /// Sequence, schedule with its groups, and validity.
  using PlanKey = std::tuple<std::size_t, std::vector<std::size_t>, std::vector<core::Level>>;
  struct State;

  const TimedPlan& plan_of(std::size_t sequence, const Schedule& schedule,
                           const std::vector<core::Level>& valid);
  void note_savings();
  std::vector<Step> steps_of(const core::RecordedSequence& loops, const ModelChain& chain) const;
  /// @return of the traffic of a chain, by tiles, where a part is as large as one that ran in tiles
  ///         when costs were recorded; 0: it is not tiled
  double saved_by(const std::vector<Step>& steps) const;
  /// @param saved  by the step's chain
  double gain_of(const Step& step, double saved) const;
  void time(TimedChain& chain) const;
  /// Of one rank in one phase.
  /// @param made  of each step
  /// @param sum   to which the seconds are added
  void add_phase(TimedChain& chain, std::size_t rank, std::span<const Iterations> made,
                 double& sum) const;
  /// Which steps are in tiles, if the chain has any, in the phase of these iterations.
  static std::vector<bool> in_tiles(const std::vector<Step>& steps,
                                    std::span<const Iterations> made);
  /// @param gain  see Costs::of
  /// @param part  working bytes of the rank
  double seconds_of(const Step& step, double gain, double part) const;
  void run_events(const core::RecordedEvents& block, State& state);
  void happen(int event, State& state);
  void flush(std::size_t sequence, State& state);

  const Program& program_;
  const core::RunRecord& record_;
  const Cut& cut_;
  const Machine& machine_;
  const Costs& costs_;
  const int busy_;
  std::vector<double> part_bytes_;  ///< working bytes of each rank
  /// By loop: the largest saving among its chains, on one rank.
  std::map<std::string, double> saved_;
  std::vector<double> host_seconds_;  ///< beside iterations, of each sequence
  std::map<PlanKey, TimedPlan> plans_;
  std::map<std::vector<std::array<int, 3>>, std::vector<PairMessage>> exchanges_;
};

}  // namespace op2::model
