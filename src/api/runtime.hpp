// SPDX-License-Identifier: BSD-3-Clause
// The one object that owns everything between op_init and op_exit.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include <comm/distributed_mesh.hpp>
#include <comm/mpi_communicator.hpp>
#include <core/log.hpp>
#include <core/loop_table.hpp>
#include <core/mesh.hpp>
#include <core/options.hpp>
#include <core/queue.hpp>
#include <core/thread_pool.hpp>
#include <core/topology.hpp>
#include <core/trace.hpp>
#include <jit/jit.hpp>
#include <op2/runtime.hpp>
#include <sched/engine.hpp>

namespace op2::api {

class Runtime {
 public:
  /// @param mpi  null: a program of one rank. Collective over the ranks.
  Runtime(core::Options given, const core::Topology& topology, core::LogLevel level,
          std::unique_ptr<comm::MpiSession> mpi, op_error_handler handler);

  comm::Communicator& ranks() const { return rows.communicator(); }
  bool alone() const { return ranks().size() == 1; }

  /// Says what this rank is about to do, so that ranks that do something else are found out.
  /// @param call  equal on all ranks
  void enter(const std::string& call);

  /// `enter`, then `check` on this rank; what any rank's check throws is thrown on all: here the
  /// own error, elsewhere one of the same code that names the rank.
  void check_together(const std::string& call, const std::function<void()>& check);

  /// Executes what is queued. If that fails, the queued loops are discarded and every later call
  /// that needs results fails with `poisoned`. Collective.
  void flush();

  /// Flushes if the queue has reached its bound, in loops or in bytes of copied globals.
  void flush_if_full();

  /// Brings the mesh to the form in which it was declared, to which sets and maps can be added; if
  /// it is distributed, what is queued is executed first. Collective.
  void return_to_declared();

  /// Executes what is queued; yields the rows of a dat as declared. Collective.
  comm::Bytes fetch(const core::Dat& dat);

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
  std::unique_ptr<comm::MpiSession> mpi;     ///< null: one rank
  std::unique_ptr<comm::Communicator> self;  ///< of one rank
  core::Log log;
  core::Trace trace;
  core::LoopTable table;
  core::Mesh mesh;
  core::Queue queue;
  comm::DistributedMesh rows;
  core::ThreadPool pool;
  jit::Jit jit;
  sched::Engine engine;

 private:
  void poison(const std::string& reason);
  [[noreturn]] void give_up(const Error& error);

  const std::thread::id thread_ = std::this_thread::get_id();
  const op_error_handler handler_;
  std::uint64_t calls_ = 0;  ///< of collective functions
  bool forked_ = false;
  bool executing_ = false;
  std::string failure_;  ///< what() of the error that ended the session, or empty
};

}  // namespace op2::api
