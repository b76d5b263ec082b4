// SPDX-License-Identifier: BSD-3-Clause
// Makes plans: cuts the queue into chains, analyses them, gets code, and shares loops among
// threads.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include <core/log.hpp>
#include <core/loop_table.hpp>
#include <core/mesh.hpp>
#include <core/options.hpp>
#include <jit/jit.hpp>
#include <sched/chain_builder.hpp>
#include <sched/lower.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

class Planner {
 public:
  /// All references must outlive the planner.
  Planner(const core::Options& options, int threads, jit::Jit& jit, core::LoopTable& table,
          core::Log& log);
  ~Planner();

  /// Cost: analysis in microseconds per loop; compilation of what is new; a pass over the maps for
  /// every new way of sharing a loop.
  /// @param valid  validity of every dat of the mesh, by index
  /// @throws Error of the kernels' texts, not_compiled, plugin_failure
  std::unique_ptr<Plan> make_plan(const core::Queue& queue, const core::Mesh& mesh,
                                  const std::vector<core::Level>& valid);

  /// True if the kernel runs, or will run again, as host function.
  bool runs_on_host(op_kernel kernel) const {
    return wants_host(kernel) || (!fallen_back_.empty() && fallen_back_.contains(kernel));
  }
  /// Whether the text of the kernel names a declared constant. The answer is kept while no constant
  /// is added.
  bool names_constants(op_kernel kernel, const core::Mesh& mesh);

 private:
  void plan_chain(const core::Queue& queue, RecordRange chain, std::vector<core::Level>& valid,
                  Plan& plan);
  /// Warns if loops of one name run different kernels.
  void check_loop_name(const core::LoopRecord& record);
  void add_code(const core::Queue& queue, const core::Mesh& mesh, Plan& plan);
  void take_outcome(const core::LoopRecord& record, const jit::Outcome& outcome, LoopStep& step);
  bool wants_host(op_kernel kernel) const;
  void add_shares(const core::Queue& queue, const core::LoopRecord& record, LoopStep& step);
  const ThreadPlan& shares_for(const ConflictPattern& pattern, int threads);

  const core::Options& options_;
  int threads_;
  jit::Jit& jit_;
  core::LoopTable& table_;
  core::Log& log_;
  std::map<std::string, op_kernel> kernels_;  ///< by the names of loops
  std::set<op_kernel> fallen_back_;           ///< cannot be compiled
  std::map<op_kernel, bool> names_constants_;
  std::size_t constants_looked_for_ = 0;  ///< in `names_constants_`
  std::map<std::pair<ConflictPattern, int>, std::unique_ptr<ThreadPlan>> shares_;
};

}  // namespace op2::sched
