// SPDX-License-Identifier: BSD-3-Clause
#include <api/session.hpp>

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include <fmt/ranges.h>

#include <op2/runtime.hpp>
#include <op2/version.hpp>

#include <api/listeners/listeners.hpp>
#include <api/processors.hpp>
#include <api/report.hpp>
#include <comm/messages/communicator.hpp>
#include <comm/messages/launcher.hpp>
#include <comm/messages/mpi_communicator.hpp>
#include <comm/messages/records.hpp>
#include <core/error.hpp>
#include <core/log.hpp>
#include <core/measurements/measurements.hpp>
#include <core/text.hpp>
#include <core/topology.hpp>
#include <core/validate.hpp>

namespace op2::api {
namespace {

struct Sessions {
  op_error_handler handler = nullptr;
  std::unique_ptr<Runtime> running;
  std::vector<core::Mesh> ended;  ///< without data: only to recognise handles of former sessions
  std::shared_ptr<void> compatibility_state;
};

/// The library's one mutable global: the C-style interface has no other place for its session.
Sessions& sessions() {
  static auto* const all = new Sessions;  // outlives every static destructor
  return *all;
}

core::LogLevel log_level(const core::Options& options, int diags) {
  constexpr core::LogLevel levels[] = {core::LogLevel::error, core::LogLevel::warning,
                                       core::LogLevel::info, core::LogLevel::debug};
  return options.log.empty() ? levels[std::clamp(diags, 0, 3)] : core::log_level_named(options.log);
}

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
}

/// Of all ranks together. Collective.
std::size_t count_devices(Runtime& runtime) {
  const auto all = comm::gather_records(runtime.ranks(), runtime.device->id());
  return std::set(all.begin(), all.end()).size();
}

/// In lines of the whole job.
void report_processors(Runtime& runtime) {
  comm::Communicator& ranks = runtime.ranks();
  const int is_wanted = runtime.log.logs(core::LogLevel::info) ? 1 : 0;  // others log errors only
  if (comm::broadcast_record(ranks, is_wanted) == 0) return;
  const auto texts =
      runtime.texts_on_root([&] { return describe(runtime.topology, runtime.pool); });
  core::Log of_job(core::LogLevel::info);
  for (const std::string& line : lines_of(texts))
    of_job.info(fmt::format("libop2 {}: {}", OP2_VERSION_STRING, line));
}

/// Collective.
void report_startup(Runtime& runtime) {
  for (const std::string& what : core::unknown_switches(environ)) runtime.log.warning(what);
  if (!runtime.options.ignored.empty())
    runtime.log.warning(fmt::format(
        "switches that name files are ignored, since the program has more privileges than its user "
        "(set-user-id): {}; call it with the user's own",
        fmt::join(runtime.options.ignored, ", ")));
  if (const int most = runtime.topology.most_threads(); runtime.pool.size() > most)
    runtime.log.warning(fmt::format(
        "more threads than {}: OP2_THREADS={}, at most {} run at once; the others wait meanwhile, "
        "set it to at most {}",
        runtime.topology.limit > 0 ? "the limit of processor time allows" : "processors",
        runtime.pool.size(), most, most));
  report_processors(runtime);
  if (runtime.device == nullptr) return;
  const gpu::Device& device = *runtime.device;
  runtime.log.info(fmt::format("loops run on device {}: {}, sm_{}, {}", device.ordinal(),
                               device.name(), device.architecture(),
                               gpu::cuda_version(device.driver_version())));
  const std::size_t devices = count_devices(runtime);
  if (runtime.ranks().size() > static_cast<int>(devices))
    runtime.log.warning(
        fmt::format("ranks share devices: {} ranks, {}; they take turns, start a rank per device",
                    runtime.ranks().size(), core::counted(devices, "device")));
}

[[noreturn]] void print_and_end(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::exit(EXIT_SUCCESS);
}

/// ": op_fetch_data", or nothing.
std::string text_of(std::string_view caller) {
  return caller.starts_with("op_") ? fmt::format(": {}", caller) : "";
}

enum class Ending { program, mpi };

/// A rank that ends the program, or MPI, while others wait for it ends the job.
/// @throws what waiting ranks have found out meanwhile
void report_exit_without_op_exit(Runtime& runtime, Ending ending) {
  const bool ends_mpi = ending == Ending::mpi;  // then all ranks take part, unless they have failed
  if (runtime.failed() && !ends_mpi) return;
  if (!runtime.is_on_its_thread() || !comm::mpi_is_running()) return;
  const auto waiting = runtime.ranks().watch().waiting_rank(ends_mpi && !runtime.failed());
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
    report_exit_without_op_exit(*runtime, Ending::program);
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

void report_early_finalize() {
  Runtime* const runtime = session_or_null();
  if (runtime == nullptr || runtime->forked()) return;
  try {
    report_exit_without_op_exit(*runtime, Ending::mpi);
  } catch (const Error& error) {
    runtime->end_job(error);
  } catch (const std::exception& error) {
    runtime->log.error(error.what());
  }
}

/// With OP2_MPI=auto MPI is wanted if there may be other processes, or if the program uses it.
std::unique_ptr<comm::MpiSession> mpi_if_wanted(core::MpiMode mode,
                                                std::optional<int> communicator) {
  if (mode == core::MpiMode::off) {
    if (communicator)
      core::fail(ErrorCode::bad_option,
                 "a switch contradicts the program: op_mpi_init has a communicator, and OP2_MPI is "
                 "off; unset it, or call op_init");
    return nullptr;
  }
  const comm::Launch launch = comm::this_launch();
  if (mode == core::MpiMode::on || communicator || comm::mpi_is_running() ||
      (launch.may_have_others && !comm::mpi_library().empty()))
    return comm::start_mpi(communicator, {.accepts_two_libraries = mode == core::MpiMode::on});
  comm::check_alone(launch, "");
  return nullptr;
}

void start(int argc, char** argv, int diags, std::optional<int> communicator) {
  core::check_words("op_init", argc, argv);
  for (int k = 1; k < argc; ++k) {
    if (std::strcmp(argv[k], "--op2-help") == 0) print_and_end(core::switches_as_text());
    if (std::strcmp(argv[k], "--op2-version") == 0) print_and_end(version_text());
  }
  auto& running = sessions().running;
  // In the child of a fork the parent's session is abandoned: its threads do not exist here.
  if (running != nullptr && running->forked()) running.release();
  if (running != nullptr)
    core::fail(ErrorCode::already_initialised,
               "libop2 is running already: op_init; call op_exit first");
  const core::Options options = core::read_options(variable, core::is_privileged());
  auto mpi = mpi_if_wanted(options.mpi, communicator);
  const core::LogLevel level = log_level(options, diags);
  const op_error_handler handler = sessions().handler;
  std::unique_ptr<Runtime> runtime;
  const bool is_first = mpi == nullptr || mpi->communicator->is_root();
  core::Log starting(is_first ? level : core::LogLevel::error,
                     mpi == nullptr ? "" : mpi->communicator->log_prefix(),
                     std::chrono::milliseconds(options.progress_interval_ms));
  try {
    const core::Progress progress(starting, "op_init");
    runtime = std::make_unique<Runtime>(options, core::topology_of_process(), level, mpi, handler);
  } catch (const Error& error) {
    if (mpi == nullptr) throw;
    core::Log log(level, mpi->communicator->log_prefix());
    if (end_others(log, *mpi->communicator, handler, error))
      static_cast<void>(mpi.release());  // ending it is collective, and the others wait elsewhere
    throw;
  }
  check_report_paths(*runtime);
  begin_background(*runtime);
  add_listeners(*runtime);
  report_startup(*runtime);
  runtime->measurements.profile.enter(core::Part::program);
  running = std::move(runtime);
  if (running->mpi != nullptr) running->mpi->on_finalize(report_early_finalize);
  [[maybe_unused]] static thread_local const EndOfThread end;
}

}  // namespace

Runtime& running(const char* caller) {
  Runtime* runtime = sessions().running.get();
  if (runtime == nullptr) {
    const std::string others = other_versions();
    if (!others.empty())
      core::fail(ErrorCode::not_initialised,
                 "libop2 {} is not running{}, but the program has loaded another version, too: {}; "
                 "build all parts of the program with one version",
                 op2_version(), text_of(caller), others);
    core::fail(ErrorCode::not_initialised,
               "libop2 is not running{}; call op_init first, and nothing after op_exit",
               text_of(caller));
  }
  if (runtime->forked())
    core::fail(ErrorCode::wrong_process,
               "libop2 cannot be used in the child of a fork{}; call op_init after fork()",
               text_of(caller));
  runtime->check_caller();
  return *runtime;
}

Runtime* session_or_null() {
  return sessions().running.get();
}

void end_job(const Error& error) {
  Runtime* const runtime = sessions().running.get();
  if (runtime != nullptr && !runtime->forked()) return runtime->end_job(error);
  const int rank = comm::this_launch().rank;
  if (rank > 0) std::this_thread::sleep_for(time_of_root);
  core::Log(core::LogLevel::error).error(error.what());
  if (sessions().handler != nullptr) sessions().handler(error, rank);
}

std::shared_ptr<void>& compatibility_state() {
  return sessions().compatibility_state;
}

Runtime& usable(const char* caller) {
  Runtime& runtime = running(caller);
  runtime.check_usable();
  return runtime;
}

Runtime& readable(const char* caller) {
  Runtime& runtime = running(caller);
  runtime.check_readable();
  return runtime;
}

const core::Dat& checked_dat(const char* function, op_dat dat,
                             Runtime& (*find)(const char* caller)) {
  core::check_handle(find(function).mesh, function, dat);
  return *core::record_of(dat);
}

}  // namespace op2::api

void op_init(int argc, char** argv, int diags) {
  op2::api::start(argc, argv, diags, {});
}

void op_mpi_init(int argc, char** argv, int diags, int communicator) {
  op2::api::start(argc, argv, diags, communicator);
}

void op_set_error_handler(op_error_handler handler) {
  op2::api::sessions().handler = handler;
}

void op_exit() {
  using namespace op2;
  if (api::sessions().running == nullptr) return;
  api::running();
  // Whatever fails, the session ends and its reports are written; then the first error is thrown.
  const std::unique_ptr<api::Runtime> runtime = std::move(api::sessions().running);
  std::exception_ptr failure;
  const auto attempt = [&](auto&& action) {
    try {
      action();
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  };
  attempt([&] {
    if (!runtime->failed()) runtime->finish();
  });
  attempt([&] { api::end_background(*runtime); });
  attempt([&] {
    if (failure || runtime->failed()) return;
    for (const auto& listener : runtime->measurements.listeners) listener->session_completes();
    const core::InPart waiting(&runtime->measurements.profile, core::Part::messages);
    const core::Progress progress(runtime->log, "op_exit, until other ranks call it");
    runtime->enter("op_exit");  // ranks that still run loops learn that this one does not
    runtime->ranks().barrier();
  });
  while (runtime->measurements.profile.end_region()) {
  }
  if (const std::string loops = core::fallen_back_as_text(runtime->measurements.table);
      !loops.empty())
    runtime->log.warning(loops);
  attempt([&] { api::write_timing(*runtime); });
  for (const auto& listener : runtime->measurements.listeners)
    attempt([&] { listener->session_ends(); });
  attempt([&] {
    if (runtime->device != nullptr) runtime->device->hold();
  });
  runtime->mesh.end();
  api::sessions().ended.push_back(std::move(runtime->mesh));
  if (failure) std::rethrow_exception(failure);
}

void op_flush() {
  op2::api::usable().finish();
}
