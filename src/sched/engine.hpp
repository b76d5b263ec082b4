// SPDX-License-Identifier: BSD-3-Clause
// From a queue of loops to their execution. Begin here to read the library.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include <core/log.hpp>
#include <core/loop_table.hpp>
#include <core/mesh.hpp>
#include <core/options.hpp>
#include <core/queue.hpp>
#include <core/thread_pool.hpp>
#include <core/trace.hpp>
#include <jit/jit.hpp>
#include <sched/planner.hpp>

namespace op2::sched {

class Engine {
 public:
  /// All references must outlive the engine.
  Engine(const core::Options& options, core::ThreadPool& pool, jit::Jit& jit,
         core::LoopTable& table, core::Trace& trace, core::Log& log);

  /// Executes everything in the queue and empties it. If it throws an Error, nothing was executed;
  /// what a kernel's host function throws leaves it in the middle.
  /// @throws Error of the kernels' texts, not_compiled, plugin_failure
  void flush(core::Queue& queue, const core::Mesh& mesh);

  /// True for a kernel that runs as host function and names a declared constant: it reads the
  /// program's variable, which may change after the call.
  bool must_run_now(op_kernel kernel, const core::Mesh& mesh) {
    return planner_.runs_on_host(kernel) && planner_.names_constants(kernel, mesh);
  }

 private:
  Plan& plan_for(const core::Queue& queue, const core::Mesh& mesh);
  void execute(Plan& plan, core::Queue& queue);
  void account(LoopStep& step, const core::LoopRecord& record, core::Clock::time_point begin,
               core::Clock::time_point end);

  core::ThreadPool& pool_;
  core::Trace& trace_;
  Planner planner_;
  std::unordered_multimap<std::size_t, std::unique_ptr<Plan>> plans_;
  std::vector<core::Level> valid_;  ///< level to which each dat is valid, by index of the dat
};

}  // namespace op2::sched
