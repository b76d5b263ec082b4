// SPDX-License-Identifier: BSD-3-Clause
// From a queue of loops to their execution. Begin here to read the library.
#pragma once

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <vector>

#include <comm/halo/distributed_mesh.hpp>
#include <core/log.hpp>
#include <core/loop_table.hpp>
#include <core/mesh.hpp>
#include <core/options.hpp>
#include <core/queue.hpp>
#include <core/thread_pool.hpp>
#include <core/trace.hpp>
#include <jit/jit.hpp>
#include <op2/runtime.hpp>
#include <sched/chain_runner.hpp>
#include <sched/planner.hpp>

namespace op2::sched {

class Engine {
 public:
  /// All references must outlive the engine.
  Engine(const core::Options& options, const core::Topology& topology, core::ThreadPool& pool,
         comm::DistributedMesh& rows, jit::Jit& jit, core::LoopTable& table, core::Trace& trace,
         core::Log& log);

  /// Executes everything in the queue and empties it. Collective. If making a plan throws an Error,
  /// nothing was executed; what a kernel's host function throws leaves it in the middle.
  /// @throws Error of the kernels' texts, not_compiled, plugin_failure, order_dependent,
  /// collective_mismatch, communication_failure
  void flush(core::Queue& queue, const core::Mesh& mesh);

  /// To be called before the mesh is distributed anew: ends all exchanges, and only owned rows stay
  /// valid.
  void forget_halos();

  /// To be called when the program itself has changed rows of a dat: only owned ones stay valid.
  void forget_halo(const core::Dat& dat) {
    const auto k = static_cast<std::size_t>(dat.index);
    if (k < valid_.size()) valid_[k] = std::min(valid_[k], 0);
  }

  /// True for a kernel that runs as host function and names a declared constant: it reads the
  /// program's variable, which may change after the call.
  bool must_run_now(op_kernel kernel, const core::Mesh& mesh) {
    return planner_.runs_on_host(kernel) && planner_.names_constants(kernel, mesh);
  }

  /// Whether loops are being executed, or were when `flush` threw: such an error is this rank's
  /// own.
  bool executing() const { return executing_; }

  /// Level up to which the rows of a dat are valid.
  core::Level validity(const core::Dat& dat) const {
    const auto k = static_cast<std::size_t>(dat.index);
    return k < valid_.size() ? valid_[k] : 0;
  }

  const op_chain_statistics& statistics() const { return runner_.statistics(); }

 private:
  Plan& plan_for(const core::Queue& queue, const core::Mesh& mesh);
  Plan& make_plan(const core::Queue& queue, const core::Mesh& mesh, std::size_t hash, Wait wait);
  void announce(const Plan& plan);

  comm::DistributedMesh& rows_;
  core::Trace& trace_;
  Planner planner_;
  ChainRunner runner_;
  std::unordered_multimap<std::size_t, std::unique_ptr<Plan>> plans_;
  std::vector<core::Level> valid_;  ///< level to which each dat is valid, by index of the dat
  bool executing_ = false;
  std::uint64_t flushes_ = 0;
  std::uint64_t stamp_ = 0;  ///< of what is being executed
};

}  // namespace op2::sched
