// SPDX-License-Identifier: BSD-3-Clause
// The schedules among which OP2_CHAIN=auto chooses, each analysed by the passes that a plan is made
// with, and what the cost model expects of it. Uniform, if what is given is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <core/levels.hpp>
#include <core/queue.hpp>
#include <sched/analysis/analyse.hpp>
#include <sched/cost/flush_cost.hpp>
#include <sched/cost/found_halos.hpp>
#include <sched/cost/work.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// Which loops of a queue share an exchange.
struct Schedule {
  enum class Kind {
    off,  ///< each loop by itself, as OP2_CHAIN=off
    on,   ///< chains as long as possible, as OP2_CHAIN=on
    cuts  ///< the chains `groups`
  };
  Kind kind = Kind::off;
  std::vector<RecordRange> groups;  ///< see analyse; of `cuts`
  bool single_rows = false;         ///< of halos, where they suffice (analysis/slice.hpp); of `on`
  auto operator<=>(const Schedule&) const = default;
};

/// Where a queue is cut in a schedule.
std::vector<RecordRange> cut_for(const core::Queue& queue, const Schedule& schedule,
                                 const ChainLimits& limits);

/// @param options  `none` stays what it is; otherwise the schedule says how far loops run
Analysis analyse_for(const core::Queue& queue, const Schedule& schedule,
                     const std::vector<RecordRange>& cut, const std::vector<core::Level>& valid,
                     AnalysisOptions options);

/// A schedule that repeats, flush after flush.
struct Candidate {
  Schedule schedule;
  FlushWork work;
  double seconds = 0;  ///< of a flush, by the model
};

struct CandidateInputs {
  const core::Queue& queue;  ///< with the access that plans count with
  FoundHalos halos;
  ChainLimits limits;  ///< of OP2_CHAIN=on
  const HaloSizes& sizes;
  Costs costs;                          ///< by record
  std::optional<TileRules> tiles = {};  ///< see work_of
};

/// A schedule with the work of a flush after one with the same schedule. Cost: two analyses.
Candidate candidate_of(Schedule schedule, const CandidateInputs& inputs);

/// Off, on, and up to `most_cuts` others: those that the model expects to be the fastest. Never
/// empty; off comes first. Cost: some thousand analyses of short chains.
std::vector<Candidate> find_candidates(const CandidateInputs& inputs);
inline constexpr std::size_t most_cuts = 3;

/// Evaluates the candidates with new inputs; their order is kept, and the work of those with single
/// rows.
void reevaluate(std::vector<Candidate>& candidates, const CandidateInputs& inputs);

/// Appends those that `find_candidates` finds now and that lead to other work, if there are not too
/// many.
void append_new(std::vector<Candidate>& candidates, const CandidateInputs& inputs);

/// What the schedule gains and costs against the one with an exchange per loop: "loops 2..7
/// chained: saves 5 exchanges, +3.1 % iterations, tiles 1.21x".
std::string explain(const core::Queue& queue, const Candidate& chosen, const Candidate& off,
                    const Costs& costs);

}  // namespace op2::sched
