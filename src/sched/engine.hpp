// SPDX-License-Identifier: BSD-3-Clause
// From a queue of loops to their execution. Begin here to read the library.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include <core/levels.hpp>
#include <core/mesh.hpp>
#include <core/options.hpp>
#include <core/queue.hpp>
#include <op2/error.hpp>
#include <op2/runtime.hpp>
#include <sched/analysis/analyse.hpp>
#include <sched/analysis/colours.hpp>
#include <sched/analysis/facts.hpp>
#include <sched/chain_runner.hpp>
#include <sched/code.hpp>
#include <sched/executor/executor.hpp>
#include <sched/loop_statistics.hpp>
#include <sched/policy/chain_policy.hpp>
#include <sched/rounding.hpp>

namespace op2::sched {

class Engine {
 public:
  /// @throws Error device_failure, out_of_memory
  explicit Engine(const Resources& resources);

  /// Executes everything in the queue and empties it. Collective. If making a plan throws an Error,
  /// nothing was executed; an exception of a kernel's host function leaves the flush half done.
  /// If a device has too little memory for a plan, the plans before it lose theirs; then the steps
  /// that need most are made anew.
  /// @throws Error of the kernels' sources, not_compiled, plugin_failure, order_dependent,
  /// collective_mismatch, communication_failure
  void flush(core::Queue& queue, const core::Mesh& mesh);

  /// Returns when all executed loops have run, also on a device. @throws Error device_failure
  void wait() { executor_->wait(); }

  /// To be called before the mesh is redistributed: ends all exchanges; only owned rows stay valid.
  void forget_halos();

  /// To be called when the program itself has changed rows of a dat: only owned rows stay valid.
  void forget_halo(const core::Dat& dat) {
    const auto k = static_cast<std::size_t>(dat.index);
    if (k < valid_.size()) valid_[k] = std::min(valid_[k], 0);
  }

  /// True for a kernel that runs as host function and names a declared constant: it reads the
  /// program's variable, which may change after the call.
  bool must_run_now(op_kernel kernel, const core::Mesh& mesh) {
    return code_.runs_on_host(kernel) && code_.names_constants(kernel, mesh);
  }

  /// Whether loops are being executed or prepared for it, or were when `flush` threw: then the
  /// error may be of this rank alone.
  bool executing() const { return executing_; }

  /// Whether the last `flush` has thrown out_of_memory on all ranks before any loop ran, so that
  /// all dats and globals have the values of before.
  bool is_intact() const { return intact_; }

  /// Level up to which the rows of a dat are valid.
  core::Level validity(const core::Dat& dat) const {
    const auto k = static_cast<std::size_t>(dat.index);
    return k < valid_.size() ? valid_[k] : 0;
  }

  const op_chain_statistics& statistics() const { return runner_.statistics(); }
  op_halo_statistics statistics_of(const core::Dat& dat) const {
    return runner_.statistics_of(dat);
  }

 private:
  /// A plan with what its executor made of it.
  struct Entry {
    std::unique_ptr<const Plan> plan;
    std::unique_ptr<PreparedPlan> prepared;
    Schedule schedule;
    int executions = 0;
  };
  const Schedule& choose_schedule(const core::Queue& queue, std::size_t hash);
  Entry& entry_for(const core::Queue& queue, const core::Mesh& mesh, std::size_t hash);
  Entry& make_entry(const core::Queue& queue, const core::Mesh& mesh, std::size_t hash);
  template <class Make, class... Earlier>
  auto run_pass(const char* pass, const core::Queue& queue, const Make& make,
                const Earlier&... earlier);
  const Facts& facts_of(const core::Queue& declared, LoopRequests& loops);
  std::unique_ptr<Plan> make_plan(const core::Queue& declared, const core::Mesh& mesh);
  void forget_levels();
  void find_steps(const core::Queue& queue, const Facts& facts, LoopRequests& loops,
                  const std::vector<Order>& order, Plan& plan);
  Code find_code(const core::Queue& queue, LoopRequests& loops, const Steps& steps);
  void follow_rows();
  bool distinguish_rows(const Analysis& analysis);
  void ensure_rows(core::Level level);
  Analysis slice_chains(const core::Queue& queue, const std::vector<core::Level>& valid,
                        const std::vector<char>& rewritten);
  bool prepare(const core::Queue& queue, Entry& entry);
  bool prepare_in_own_memory(Entry& entry, bool repeats);
  std::optional<std::vector<const Step*>> try_to_prepare(Entry& entry, bool repeats,
                                                         std::optional<Error>& mine);
  bool free_prepared();
  void forget_plans();
  bool execute(Entry& entry, core::Queue& called);
  std::uint64_t sign(std::uint64_t sequence, const std::shared_ptr<const std::string>& description);

  const core::Options& options_;
  comm::DistributedMesh& rows_;
  core::Measurements& measurements_;
  core::Log& log_;
  core::ThreadPool& pool_;
  const AnalysisOptions analysis_;
  const ChainLimits limits_;  ///< of chains as long as possible
  const Schedule schedule_;   ///< without a policy
  const Prover prove_;
  Colourings colourings_;
  KnownFacts known_facts_;
  CodeFinder code_;
  LoopStatistics statistics_;
  std::unique_ptr<Executor> executor_;
  ChainRunner runner_;
  std::unique_ptr<ChainPolicy> policy_;  ///< null: not OP2_CHAIN=auto, or one rank
  const Schedule* turn_ = &schedule_;    ///< of this flush
  ChainPolicy::FlushTimes times_;        ///< of this flush
  std::unordered_multimap<std::size_t, Entry> plans_;
  std::vector<core::Level> valid_;  ///< level to which each dat is valid, by index of the dat
  static constexpr int unbound = -1;
  int epoch_ = unbound;               ///< of the rows that plans are bound to
  int worker_traps_ = float_traps();  ///< floating-point exceptions that trap in the workers
  bool executing_ = false;
  bool intact_ = false;
  std::int64_t flushes_ = 0;
  std::int64_t made_plans_ = 0;
};

}  // namespace op2::sched
