// SPDX-License-Identifier: BSD-3-Clause
// OP2_CHAIN=auto: which schedule a queued sequence runs in. It decides; the engine makes and runs
// the plans. What all ranks must decide alike follows from agreed numbers: costs, sizes and network
// are agreed by one reduction when a sequence runs the second time, unless it is known that earlier
// sessions have left none; if they are incomplete, by one when it runs the third time (two, if
// messages are measured); and again with the times of each measurement. Before that, and without
// costs, a sequence runs as with OP2_CHAIN=off; the ranks ask again for costs at its 5th, 9th, 17th
// execution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <comm/halo/distributed_mesh.hpp>
#include <core/log.hpp>
#include <core/measurements/measurements.hpp>
#include <core/options.hpp>
#include <core/queue.hpp>
#include <sched/analysis/analyse.hpp>
#include <sched/chain_runner.hpp>
#include <sched/cost/candidates.hpp>
#include <sched/plan.hpp>
#include <sched/policy/agreement.hpp>
#include <sched/policy/choice.hpp>
#include <sched/policy/cost_history.hpp>

namespace op2::sched {

class ChainPolicy {
 public:
  /// The schedule `on` with single rows of halos where they suffice (analysis/slice.hpp), from
  /// halos that are valid so far. Collective.
  using Slicer =
      std::function<Analysis(const core::Queue& queue, const std::vector<core::Level>& valid,
                             const std::vector<char>& rewritten)>;
  struct Resources {
    const core::Options& options;
    comm::DistributedMesh& rows;
    core::LoopTable& table;
    core::Log& log;
    core::Caches caches;
    int threads;
    Slicer slice = {};  ///< empty: single rows are never used
  };
  /// Reads on the root the costs of earlier sessions. All references must outlive it.
  ChainPolicy(const Resources& resources, const ChainLimits& limits);
  /// Keeps the costs.
  ~ChainPolicy();
  ChainPolicy(const ChainPolicy&) = delete;
  ChainPolicy& operator=(const ChainPolicy&) = delete;

  struct Turn {
    const Schedule& schedule;  ///< valid up to the next turn
    bool changed;              ///< the sequence ran in another one last time
    bool is_new;               ///< nothing is known of it: it needs a plan that is made anew
  };
  /// Before each flush: what it runs in. Collective when the ranks agree on something (see above).
  /// @param hash   of the queue (plan.hpp)
  /// @param valid  of each dat of the mesh, by its index
  Turn begin(const core::Queue& queue, std::size_t hash, const std::vector<core::Level>& valid,
             const PackTimes& packing);

  /// While the first plan of this flush is made.
  /// @param queue  as plans count with it
  const Schedule& schedule_for(const core::Queue& queue);

  /// Of each dat of the mesh: the sequence of this flush modifies it, or others did since it ran
  /// last. After `schedule_for`.
  std::vector<char> rewritten() const;

  /// Seconds of a flush.
  struct FlushTimes {
    double execution = 0;
    double plans = 0;      ///< for all that precedes it, without what the policy itself does
    double once = 0;       ///< of `plans`, for code and rows that other plans use too
    bool is_made = false;  ///< the plan, not only what it needs as it repeats
  };
  /// After the flush. Local.
  void end(const FlushTimes& times);

  CostHistory& costs() { return costs_; }

  /// To be called before the mesh is redistributed.
  void forget();

 private:
  /// What is known of one sequence of loops.
  struct Sequence {
    PlanKey key;
    std::optional<core::Queue> queue;  ///< as plans count with it
    FoundHalos halos;                  ///< before its last flush
    std::int64_t flushes = 0;
    std::int64_t learning = 0;          ///< of them, those before it was decided
    std::vector<Candidate> candidates;  ///< none: not decided, or nothing is known of the costs
    PolicyInputs inputs;                ///< as agreed last
    Excess excess;                      ///< as measured schedules have shown
    FoundHalos decided;                 ///< when the candidates were found
    std::int64_t different = 0;         ///< flushes in a row that others have left other halos for
    std::int64_t not_before = 4;        ///< flushes, before candidates are found for that reason
    std::optional<Choice> choice;
    Choice::Turn turn{0, false};
    double plan_seconds = 0, repeat_seconds = 0;  ///< of the last plan, and as it repeated
    std::size_t number = 0;
    bool is_explained = false;  ///< as it is now
    bool is_sliced = false;     ///< whether single rows pay is known
  };
  Sequence& sequence_of(const core::Queue& queue, std::size_t hash);
  std::optional<PolicyInputs> inputs_for(const Sequence& sequence, const PackTimes& packing);
  void predict(Sequence& sequence);
  void update(Sequence& sequence, const PackTimes& packing);
  bool restart_if_halos_changed(Sequence& sequence);
  void consider_slices(Sequence& sequence);
  void note_savings(Sequence& sequence);
  void find_excess(Sequence& sequence);
  TileRules rules_for(const PolicyInputs& inputs) const;
  CandidateInputs candidate_inputs(const Sequence& sequence) const;
  Network network_of_rank(const PackTimes& packing) const;
  PolicyInputs agreed(const Sequence& sequence, CostHistory::Sessions sessions,
                      const PackTimes& packing, std::span<const double> times = {});
  void explain_choice(Sequence& sequence);
  void say(const Sequence& sequence, const std::string& text);
  std::size_t random();
  const Schedule& schedule_of(const Sequence& sequence) const;

  const core::Options& options_;
  comm::DistributedMesh& rows_;
  core::LoopTable& table_;
  core::Log& log_;
  const Slicer slice_;
  const ChainLimits limits_;
  const core::Caches caches_;
  const int threads_;
  std::string cache_directory_;  ///< of costs; empty: none are kept
  CostHistory costs_;
  std::map<NodeLayout, Network> networks_;  ///< of earlier sessions
  const NodeLayout layout_;
  Network network_;      ///< as agreed last; until then as kept, which the root alone has read
  bool is_kept_ = true;  ///< earlier sessions may have left it on the root
  HaloSizes sizes_;      ///< as agreed, of rows that were
  int arrangement_ = -1, depth_ = 0;  ///< arranged so, with halos so deep
  HaloHistory history_;
  std::unordered_multimap<std::size_t, Sequence> sequences_;
  Sequence* current_ = nullptr;  ///< of this flush
  std::uint64_t random_;
  std::size_t last_number_ = 0;
  const Schedule off_{};
};

}  // namespace op2::sched
