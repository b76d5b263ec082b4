// SPDX-License-Identifier: BSD-3-Clause
#include <api/process_end.hpp>

#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>

#include <fmt/format.h>

#include <api/background.hpp>
#include <api/runtime.hpp>
#include <api/session.hpp>
#include <comm/messages/mpi_communicator.hpp>
#include <core/error.hpp>

namespace op2::api {
namespace {

enum class Ending { program, mpi };

/// A rank that ends the program, or MPI, while others wait for it ends the job.
/// @throws what waiting ranks have found out meanwhile
void report_lonely_end(Runtime& runtime, Ending ending) {
  const bool ends_mpi = ending == Ending::mpi;  // then all ranks take part, unless they have failed
  if (runtime.failed() && !ends_mpi) return;
  if (!runtime.is_on_its_thread() || !comm::mpi_is_running()) return;
  const auto waiting = ends_mpi && !runtime.failed() ? runtime.ranks().waiting_rank_at_end()
                                                     : runtime.ranks().waiting_rank();
  if (!waiting) return;
  runtime.end_job(
      Error(ErrorCode::rank_ended,
            fmt::format("a rank {} without op_exit: rank {}, while {}; call op_exit on every rank, "
                        "after the same calls",
                        ends_mpi ? "calls MPI_Finalize" : "ends the program",
                        runtime.ranks().rank(), *waiting)));
}

/// A program that ends without op_exit must not succeed silently if loops were never executed. One
/// that ends with a failure has said why: an error that it has caught, for example.
void report_discarded_loops(int status, void*) {
  Runtime* runtime = session_or_null();
  if (runtime == nullptr || runtime->forked()) return;
  try {
    report_lonely_end(*runtime, Ending::program);
  } catch (const std::exception& error) {  // nobody could catch it
    runtime->log.error(error.what());
  }
  for (const std::string& path :
       {runtime->options.timing, runtime->options.trace, runtime->options.model_file})
    if (!path.empty())
      runtime->log.warning(fmt::format(
          "the report is not written: '{}'; call op_exit before the program ends", path));
  report_unfinished_results(*runtime);
  if (status != EXIT_SUCCESS) return;
  if (runtime->queue.empty()) {
    if (runtime->mpi != nullptr && comm::mpi_is_running())
      runtime->log.warning("the program ends without op_exit, so MPI was not ended; call op_exit");
    return;
  }
  runtime->log.error(
      fmt::format("queued loops were never executed: {}; call op_exit before the program ends",
                  runtime->queue.size()));
  std::cout.flush();
  std::fflush(nullptr);
  _exit(EXIT_FAILURE);
}

void mark_forked() {
  if (Runtime* const runtime = session_or_null()) runtime->mark_forked();
}

/// Registered when the library is loaded, so that it runs at exit after everything that the program
/// registers, and after the program's destructors.
[[gnu::constructor]] void watch_process() {
  on_exit(report_discarded_loops, nullptr);  // libop2 stays loaded (-z nodelete)
  pthread_atfork(nullptr, nullptr, mark_forked);
}

/// Waits for the threads that load or make code when the thread that called op_init ends. If it
/// ends the program, that is before any static destructor: those of the compiler's libraries, which
/// are loaded later than everything else, would run first and take away what the threads use.
struct EndOfThread {
  ~EndOfThread() {
    Runtime* runtime = session_or_null();
    if (runtime != nullptr && !runtime->forked()) runtime->join_threads();
  }
};

}  // namespace

void report_early_finalize() {
  Runtime* const runtime = session_or_null();
  if (runtime == nullptr || runtime->forked()) return;
  try {
    report_lonely_end(*runtime, Ending::mpi);
  } catch (const Error& error) {
    runtime->end_job(error);
  } catch (const std::exception& error) {
    runtime->log.error(error.what());
  }
}

void watch_thread() {
  [[maybe_unused]] static thread_local const EndOfThread end;
}

}  // namespace op2::api
