// SPDX-License-Identifier: BSD-3-Clause
// Makes plans: cuts the queue into chains, analyses them, gets rows, code and exchanges, and shares
// loops among threads.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include <comm/halo/distributed_mesh.hpp>
#include <core/log.hpp>
#include <core/loop_table.hpp>
#include <core/mesh.hpp>
#include <core/options.hpp>
#include <jit/jit.hpp>
#include <sched/chain_builder.hpp>
#include <sched/fuser.hpp>
#include <sched/lower.hpp>
#include <sched/plan.hpp>
#include <sched/step_builder.hpp>
#include <sched/tiler.hpp>

namespace op2::sched {

/// Whether a plan waits for code that is not there. A plan in place of one whose code should be
/// there by now always does: then what failed is reported.
enum class Wait { as_options_say, always };

class Planner {
 public:
  /// All references must outlive the planner.
  Planner(const core::Options& options, const core::Topology& topology, core::ThreadPool& pool,
          comm::DistributedMesh& rows, jit::Jit& jit, core::LoopTable& table, core::Log& log);
  ~Planner();

  /// Collective. Cost: analysis in microseconds per loop; compilation of what is new; a pass over
  /// the maps for every new way of sharing a loop; new halo layers.
  /// @param valid  validity of every dat of the mesh, by index
  /// @throws Error of the kernels' texts, not_compiled, plugin_failure, order_dependent
  std::unique_ptr<Plan> make_plan(const core::Queue& queue, const core::Mesh& mesh,
                                  const std::vector<core::Level>& valid, Wait wait);

  /// False when the code has been made that the plan awaits: another plan has to be made.
  bool is_current(const Plan& plan) const { return !plan.awaits_code || jit_.making(); }

  /// To be called before each execution of a plan: fuses loops and adds tiles when the plan has
  /// shown that it repeats. Collective.
  /// @return whether it did
  bool prepare(const core::Queue& queue, const core::Mesh& mesh, Plan& plan);

  /// To be called when rows or maps have moved and all plans are gone.
  void forget_rows() { steps_.forget(); }

  /// True if the kernel runs, or will run again, as host function.
  bool runs_on_host(op_kernel kernel) const {
    return wants_host(kernel) || (!fallen_back_.empty() && fallen_back_.contains(kernel));
  }
  /// Whether the text of the kernel names a declared constant. The answer is kept while no constant
  /// is added.
  bool names_constants(op_kernel kernel, const core::Mesh& mesh);

 private:
  /// Levels of one chain. @return the level up to which rows must exist
  core::Level plan_chain(const core::Queue& queue, RecordRange chain,
                         std::vector<core::Level>& valid, Plan& plan);
  void add_shipments(const ChainDescription& chain, const core::ChainLevels& levels,
                     const std::vector<core::Level>& valid, ChainPlan& plan) const;
  void add_exchanges(Plan& plan);
  /// Warns if loops of one name run different kernels.
  void check_loop_name(const core::LoopRecord& record);
  void add_code(const core::Queue& queue, const core::Mesh& mesh, Wait wait, Plan& plan);
  /// Code for loops, or nothing for those that run as host functions until it is made.
  std::vector<jit::Outcome> code_of(std::span<const jit::LoopRequest> requests, Wait wait,
                                    Plan& plan);
  void take_outcome(const core::LoopRecord& record, const jit::Outcome& outcome, LoopStep& step);
  bool wants_host(op_kernel kernel) const;
  void add_steps(const core::Queue& queue, Plan& plan);
  std::vector<char> in_order(const Plan& plan) const;
  void report_order(const core::Queue& queue, const core::LoopRecord& record,
                    const LoopStep& step) const;

  const core::Options& options_;
  core::ThreadPool& pool_;
  comm::DistributedMesh& rows_;
  jit::Jit& jit_;
  core::LoopTable& table_;
  core::Log& log_;
  const ChainLimits limits_;
  StepBuilder steps_;
  Fuser fuser_;
  Tiler tiler_;
  std::map<std::string, op_kernel> kernels_;  ///< by the names of loops
  std::set<op_kernel> fallen_back_;           ///< cannot be compiled
  std::set<const jit::CompiledLoop*> told_;   ///< the log has said where the code is from
  std::map<op_kernel, bool> names_constants_;
  std::size_t constants_looked_for_ = 0;  ///< in `names_constants_`
};

}  // namespace op2::sched
