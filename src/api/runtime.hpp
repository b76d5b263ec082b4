// SPDX-License-Identifier: BSD-3-Clause
// The one object that owns everything between op_init and op_exit.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <api/background_results.hpp>
#include <api/checkpoints.hpp>
#include <comm/halo/distributed_mesh.hpp>
#include <comm/messages/mpi_communicator.hpp>
#include <comm/partition/partition.hpp>
#include <core/log.hpp>
#include <core/measurements/measurements.hpp>
#include <core/mesh.hpp>
#include <core/options.hpp>
#include <core/queue.hpp>
#include <core/signals.hpp>
#include <core/thread_pool.hpp>
#include <core/topology.hpp>
#include <gpu/device.hpp>
#include <jit/jit.hpp>
#include <op2/runtime.hpp>
#include <sched/engine.hpp>

namespace op2::api {

/// Ends the job after an error of this rank, if there are others that wait for it: logs it, then
/// calls the handler, or aborts. @return whether there are others
bool end_others(core::Log& log, comm::Communicator& ranks, op_error_handler handler,
                const Error& error);

/// Time that the first rank has to end the job after an error that all ranks have.
inline constexpr std::chrono::seconds time_of_root{1};

// Where the loops of a session run, and what makes code for them.

/// @param mesh  whose constants kernels see; it and `listeners` outlive the maker
jit::JitOptions jit_options(const core::Options& options, const core::Mesh& mesh,
                            const core::Listeners& listeners);

/// Null unless loops run on a device. Local.
/// @param session  null: one rank. Otherwise ranks take the devices of their machine in turn.
/// @throws Error no_device, device_failure, out_of_memory
std::unique_ptr<gpu::Device> open_device(const core::Options& options,
                                         const comm::MpiSession* session);

/// For gpu::CurrentContext. Null: no device.
const gpu::Driver* driver_of(const gpu::Device* device);

/// Makes code for the device; for the CPU if there is none.
/// @param device, host_jit  outlive it; host_jit is that of the CPU beside a device
jit::Jit make_jit(const core::Options& options, jit::JitOptions given, core::Log& log,
                  gpu::Device* device, jit::Jit* host_jit);

class Runtime {
 public:
  /// Collective over the ranks.
  /// @param mpi  null: a program of one rank. Stays with the caller if an error is thrown, because
  ///             ending it is collective.
  Runtime(core::Options given, const core::Topology& topology, core::LogLevel level,
          std::unique_ptr<comm::MpiSession>& mpi, op_error_handler handler);

  /// Listeners end first: those that execute loops use the rest.
  ~Runtime();

  comm::Communicator& ranks() const { return rows.communicator(); }
  bool alone() const { return ranks().size() == 1; }

  /// Sets the collective signature of the call that follows. The text must be equal on all ranks: a
  /// difference is an error.
  template <class... Args>
  void enter(fmt::format_string<Args...> call, Args&&... args) {
    announce(fmt::format(call, std::forward<Args>(args)...));
  }

  /// Compares what ranks have declared, if that was not done since, before a file is written.
  /// Collective; call `enter` before. Cost: a reduction if a dat was declared since the last one.
  void compare_declarations(std::string_view path);

  /// If the check throws on any rank, all throw: this one its own error, the others one of the same
  /// code that names the rank. Collective; call `enter` before.
  void check_together(const std::function<void()>& check);

  /// The same for work of the root alone.
  void do_on_root(const std::function<void()>& action) {
    check_together([&] {
      if (ranks().is_root()) action();
    });
  }

  /// The result of a collective function that may fail on this rank alone, for example because
  /// memory is short. The others then wait for this rank, so the job is ended.
  template <class Action>
  auto collectively(const Action& action) {
    using Result = std::invoke_result_t<Action>;
    if constexpr (std::is_void_v<Result>) {
      guard(action);
    } else {
      std::optional<Result> result;
      guard([&] { result.emplace(action()); });
      return std::move(*result);
    }
  }

  /// The texts of all ranks on the root; nothing on other ranks. Collective; call `enter` before.
  /// @param mine  makes that of this rank
  std::vector<std::string> texts_on_root(const std::function<std::string()>& mine);

  /// Executes the queued loops. If that fails, they are discarded and every later call that needs
  /// results fails with `poisoned`; but dats and globals can still be read if it was memory, on all
  /// ranks, before any loop ran. Collective.
  void flush();

  /// The same; returns when the loops have run, also on a device. Collective.
  void finish();

  /// Flushes if the queue has reached its bound, in loops or in bytes of copied globals. The bound
  /// is a whole number of time steps if the program repeats itself: then every flush executes the
  /// same chain, whose plan is known.
  void flush_if_full();

  /// Brings the mesh to its declared form, to which sets and maps can be added. If it is in
  /// another, queued loops are executed first. Collective.
  void return_to_declared();

  /// Decides in which order the reproducible mode adds, at the first call after a declaration;
  /// otherwise does nothing. Collective; call `enter` before.
  /// @param coordinates  what op_partition got: used if it has coordinates; may be null
  void decide_order(op_dat coordinates);

  /// Brings the mesh to local rows, as the first loop would. Collective. Running out of memory here
  /// or in `return_to_declared` ends the session, because only some of the data may have moved.
  void settle();

  /// Executes the queued loops and returns the declared rows of a dat. Collective.
  /// @param storage  holds rows that come from other ranks; outlives the result
  std::span<const std::byte> fetch(const core::Dat& dat, comm::Bytes& storage);

  /// Replaces the rows of a dat, which no queued loop uses. Collective.
  /// @param values  as declared: shape [declared x dim]
  void set_rows(core::Dat& dat, const void* values);

  /// The host's copy of an array, made current. A fault of the device may be found here, on this
  /// rank alone, so the others may not wait for it: as `collectively`. Local otherwise.
  const std::byte* host_copy(const core::Array& array) {
    return collectively([&] { return array.host_read(); });
  }

  /// Makes the host's copies of all dats current. Local.
  void download_all_dats();

  /// Of the code for the device and for the host.
  op_jit_statistics jit_statistics() const;

  /// Throws `poisoned` after a failed flush.
  void check_usable() const;
  /// The same, unless dats and globals can still be read.
  void check_readable() const;
  bool failed() const { return !failure_.empty(); }
  /// Whether this rank had an error that others do not have: they wait for it elsewhere.
  bool others_wait() const { return reported_; }
  /// Whether the caller is the thread that called op_init.
  bool is_on_its_thread() const { return std::this_thread::get_id() == thread_; }

  /// Throws `wrong_thread` unless called by the thread that called op_init, `inside_kernel` if a
  /// host function is running.
  void check_caller() const;

  /// Ends the job after an error that the program cannot catch, which is logged unless that was
  /// done when a loop failed. If all ranks have the error, only the first one logs it, and the
  /// others wait `time_of_root` for it to end the job. Returns on one rank.
  void end_job(const Error& error);

  /// A listener executes loops itself, with its own maker of code and engine; both outlive it.
  void also_executes(jit::Jit& maker, sched::Engine& executing) {
    makers_.push_back(&maker);
    engines_.push_back(&executing);
  }

  /// Waits until no thread loads or makes code.
  void join_threads();

  /// The child of a fork has no worker threads and shares files with its parent.
  void mark_forked() { forked_ = true; }
  bool forked() const { return forked_; }

  core::Options options;
  std::unique_ptr<comm::MpiSession> mpi;     ///< null: one rank
  std::unique_ptr<comm::Communicator> self;  ///< of one rank
  std::unique_ptr<gpu::Device> device;       ///< null: loops run on the CPU
  core::Mesh mesh;
  comm::DistributedMesh rows;
  core::Log log;
  comm::Partitioners partitioners = comm::library_partitioners();
  core::Measurements measurements;
  core::Queue queue;
  const core::Topology topology;  ///< what this rank may use
  core::ThreadPool pool;
  std::unique_ptr<jit::Jit> host_jit;  ///< for loops that the device cannot run; null: no device
  jit::Jit jit;                        ///< may ask that of the host
  sched::Engine engine;
  bool partitioned = false;  ///< op_partition was called
  core::CrashReport crash_report;
  std::unique_ptr<BackgroundResults> background_results;  ///< null: OP2_ASYNC_IO is off
  Checkpoints checkpoints{*this};
  std::int64_t printed_loops = -1;  ///< executed when the per-loop table was last printed

 private:
  void announce(std::string call);
  void execute();
  void guard(const std::function<void()>& action, bool moves_rows = false);
  std::optional<Error> failure_of(const std::function<void()>& action) const;
  void adapt_queue_bound();
  void mention_partition();
  Error poisoned_by(const Error& error, bool readable = false);
  void host_function_threw(const std::string& what);
  bool tell_others(const Error& error);

  std::vector<jit::Jit*> makers_;        ///< all that make code
  std::vector<sched::Engine*> engines_;  ///< all that execute loops
  const std::thread::id thread_ = std::this_thread::get_id();
  const op_error_handler handler_;
  std::uint64_t calls_ = 0;  ///< of collective functions
  std::string call_;         ///< the last one
  bool forked_ = false;
  bool executing_ = false;
  bool readable_ = false;    ///< after a failed flush: dats are as they were before it
  bool reported_ = false;    ///< an error was logged and given to the handler
  std::size_t queue_bound_;  ///< in loops, at most queue_max of OP2_DEBUG
  std::string failure_;      ///< what() of the error that ended the session, or empty
};

}  // namespace op2::api
