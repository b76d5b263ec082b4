// SPDX-License-Identifier: BSD-3-Clause
// OP2_CHECK=bits: executes each flush also in the plainest way, and compares the bits.
#pragma once

#include <optional>

#include <core/log.hpp>
#include <core/loop_table.hpp>
#include <core/options.hpp>
#include <core/queue.hpp>
#include <core/thread_pool.hpp>
#include <core/trace.hpp>
#include <jit/jit.hpp>
#include <sched/engine.hpp>
#include <sched/saved_values.hpp>

namespace op2::api {

class Runtime;

/// Owns what executes loops on one thread, without tiles, chains, fusion and vectors. Results are
/// those of the session's engine, which executes after it from the same values.
class BitsCheck {
 public:
  /// Collective. @throws Error device_failure, out_of_memory
  explicit BitsCheck(Runtime& runtime);

  /// What the engine's flush does, twice. Collective. Cost: the second execution, its compilations,
  /// and copies of what the queue modifies.
  /// @throws Error bits_differ, on all ranks; what Engine::flush throws
  void flush();

  /// As of the engine.
  bool executing() const { return plain_.executing(); }
  void join_threads() { jit_.join_threads(); }

 private:
  /// A difference after the first `loops` of a queue.
  struct Finding {
    std::size_t loops;
    std::optional<sched::Difference> mine;  ///< only on the rank that has the first one
    sched::SavedValues saved;
  };
  std::optional<Finding> compare(const core::Queue& calls, std::size_t loops,
                                 const sched::SavedValues& before);
  bool is_first(const std::optional<sched::Difference>& mine, bool& any);
  Finding first_loop(const core::Queue& calls, const sched::SavedValues& before, Finding whole);
  void fail(const core::Queue& calls, const Finding& finding);

  Runtime& runtime_;
  const core::Options options_;
  core::Log log_;
  core::Trace trace_;
  core::LoopTable table_;
  core::ThreadPool pool_;
  jit::Jit jit_;
  sched::Engine plain_;
};

}  // namespace op2::api
