// SPDX-License-Identifier: BSD-3-Clause
// OP2_CHAIN=auto: which schedule a queued sequence runs in. It decides; the engine makes and runs
// the plans. What all ranks must decide alike follows from agreed numbers: costs, sizes and network
// are agreed by one reduction when a sequence runs the second time, unless it is known that earlier
// sessions have left none; if they are incomplete, by one when it runs the third time (two, if
// messages are measured); and again with the first times of a choice, also when other sequences
// have come to leave other halos; times of trials travel in the next reduction of the program.
// Before that, and without costs, a sequence runs as with OP2_CHAIN=off; the ranks ask again for
// costs at its 5th, 9th, 17th execution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <comm/halo/distributed_mesh.hpp>
#include <core/log.hpp>
#include <core/measurements/loop_table.hpp>
#include <core/options.hpp>
#include <core/queue.hpp>
#include <sched/analysis/cut.hpp>
#include <sched/plan.hpp>
#include <sched/policy/agreement.hpp>
#include <sched/policy/candidates.hpp>
#include <sched/policy/cost_book.hpp>
#include <sched/policy/cost_table.hpp>
#include <sched/policy/found_halos.hpp>
#include <sched/policy/trials.hpp>

namespace op2::sched {

class ChainPolicy {
 public:
  struct Resources {
    const core::Options& options;
    comm::DistributedMesh& rows;
    core::LoopTable& table;
    core::Log& log;
    core::Caches caches;
    int threads;
  };
  /// Reads on the root the costs of earlier sessions. All references must outlive it.
  ChainPolicy(const Resources& resources, const ChainLimits& limits);
  /// Keeps the costs.
  ~ChainPolicy();
  ChainPolicy(const ChainPolicy&) = delete;
  ChainPolicy& operator=(const ChainPolicy&) = delete;

  struct Turn {
    std::size_t schedule;  ///< among those of the sequence; 0: as with OP2_CHAIN=off
    bool changed;          ///< it ran in another one last time
    bool forgotten;        ///< numbers of schedules begin anew: plans made before are not theirs
  };
  /// Before each flush: what it runs in. Collective when costs are agreed (see above), and when
  /// trials have ended and the program has had no reduction since.
  /// @param hash   of the queue (plan.hpp)
  /// @param valid  of each dat of the mesh, by its index
  Turn begin(const core::Queue& queue, std::size_t hash, const std::vector<core::Level>& valid,
             const PackTimes& packing);

  /// While the plan of this flush is made.
  /// @param queue  as plans count with it
  const Schedule& schedule_for(const core::Queue& queue, const std::vector<core::Level>& valid);

  /// Seconds of a flush.
  struct FlushTimes {
    double execution = 0;
    double plans = 0;      ///< for all that precedes it, without what the policy itself does
    double once = 0;       ///< of `plans`, for code and rows that other plans use too
    bool is_made = false;  ///< the plan, not only what it needs as it repeats
  };
  /// After the flush. Local.
  void end(const FlushTimes& times);

  CostBook& costs() { return costs_; }

  /// To be called before the mesh is redistributed.
  void forget();

 private:
  /// What is known of one sequence of loops.
  struct Sequence {
    PlanKey key;
    std::optional<core::Queue> queue;  ///< as plans count with it
    FoundHalos halos;                  ///< before its last flush
    std::int64_t flushes = 0;
    std::int64_t learning = 0;         ///< of them, those before it was decided
    std::vector<Candidate> schedules;  ///< none: not decided, or nothing is known of the costs
    PolicyInputs inputs;               ///< agreed, as the model was asked last
    Excess excess;                     ///< as measured schedules have shown
    FoundHalos decided;                ///< when the model was asked last
    std::int64_t different = 0;        ///< flushes in a row that others have left other halos for
    std::int64_t not_before = 4;       ///< flushes, before the model is asked for that reason
    std::optional<Trials> trials;
    Trials::Turn turn{0, false};
    double plan_seconds = 0, repeat_seconds = 0;  ///< of the last plan, and as it repeated
    std::size_t number = 0;
    bool is_explained = false;  ///< as it is now
  };
  Sequence& sequence_of(const core::Queue& queue, std::size_t hash);
  /// What all ranks count with.
  using Inputs = std::optional<PolicyInputs>;
  Inputs inputs_for(const Sequence& sequence, const PackTimes& packing);
  Inputs kept_inputs(const Sequence& sequence, const PackTimes& packing);
  Inputs measured_inputs(const Sequence& sequence, const PackTimes& packing);
  void decide(Sequence& sequence, PolicyInputs inputs);
  void revise(Sequence& sequence, PolicyInputs inputs);
  void learn(Sequence& sequence);
  void note_savings(Sequence& sequence);
  void correct_forecast(Sequence& sequence);
  void take_measured(Sequence& sequence);
  void reconsider(Sequence& sequence);
  TileRules rules_of(const PolicyInputs& inputs) const;
  CandidateInputs inputs_of(const Sequence& sequence) const;
  Network network_of_rank(const PackTimes& packing) const;
  PolicyInputs own_inputs(const Sequence& sequence, CostBook::Sessions sessions,
                          const PackTimes& packing) const;
  PolicyInputs agreed(const Sequence& sequence, CostBook::Sessions sessions,
                      const PackTimes& packing);
  void explain_choice(Sequence& sequence);
  void say(const Sequence& sequence, const std::string& text);
  void find_for_random(Sequence& sequence, const std::vector<core::Level>& valid);
  std::size_t random();
  void send_times();
  void receive_times();

  const core::Options& options_;
  comm::DistributedMesh& rows_;
  core::LoopTable& table_;
  core::Log& log_;
  const ChainLimits limits_;
  const core::Caches caches_;
  const int threads_;
  std::string cache_directory_;  ///< of costs; empty: none are kept
  CostBook costs_;
  std::map<Placement, Network> networks_;  ///< of earlier sessions
  const Placement placement_;
  Network network_;      ///< as agreed last; until then as kept, which the root alone has read
  bool is_kept_ = true;  ///< earlier sessions may have left it on the root
  AgreedSizes sizes_;
  HaloHistory history_;
  std::unordered_multimap<std::size_t, Sequence> sequences_;
  Sequence* current_ = nullptr;           ///< of this flush
  Sequence* waiting_ = nullptr;           ///< whose times travel with the next reduction
  std::optional<PolicyInputs> revision_;  ///< which travel with them
  PackTimes packing_;
  int flushes_waited_ = 0;
  std::uint64_t random_;
  std::size_t last_number_ = 0;
  bool forgotten_ = false;  ///< in this flush
  const Schedule off_{};
};

}  // namespace op2::sched
