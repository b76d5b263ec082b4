// SPDX-License-Identifier: BSD-3-Clause
// The one object that owns everything between op_init and op_exit.
#pragma once

#include <string>
#include <thread>

#include <core/log.hpp>
#include <core/loop_table.hpp>
#include <core/mesh.hpp>
#include <core/options.hpp>
#include <core/queue.hpp>
#include <core/thread_pool.hpp>
#include <core/topology.hpp>
#include <core/trace.hpp>
#include <jit/jit.hpp>
#include <sched/engine.hpp>

namespace op2::api {

class Runtime {
 public:
  Runtime(core::Options given, const core::Topology& topology, core::LogLevel level);

  /// Executes what is queued. If that fails, the queued loops are discarded and every later call
  /// that needs results fails with `poisoned`.
  void flush();

  /// Flushes if the queue has reached its bound, in loops or in bytes of copied globals.
  void flush_if_full();

  /// Throws `poisoned` after a failed flush.
  void check_usable() const;
  bool failed() const { return !failure_.empty(); }

  /// Throws `wrong_thread` unless called by the thread that called op_init, `inside_kernel` if a
  /// host function is running.
  void check_caller() const;

  /// The child of a fork has no worker threads and shares files with its parent.
  void mark_forked() { forked_ = true; }
  bool forked() const { return forked_; }

  core::Options options;
  core::Log log;
  core::Trace trace;
  core::LoopTable table;
  core::Mesh mesh;
  core::Queue queue;
  core::ThreadPool pool;
  jit::Jit jit;
  sched::Engine engine;

 private:
  const std::thread::id thread_ = std::this_thread::get_id();
  void poison(const std::string& reason);

  bool forked_ = false;
  bool executing_ = false;
  std::string failure_;  ///< what() of the error that ended the session, or empty
};

}  // namespace op2::api
