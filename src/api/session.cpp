// SPDX-License-Identifier: BSD-3-Clause
#include <api/session.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include <fmt/ranges.h>

#include <op2/runtime.hpp>
#include <op2/version.hpp>

#include <api/background.hpp>
#include <api/process_end.hpp>
#include <api/report.hpp>
#include <api/version.hpp>
#include <comm/messages/launcher.hpp>
#include <comm/messages/mpi_communicator.hpp>
#include <comm/messages/records.hpp>
#include <core/counted.hpp>
#include <core/error.hpp>
#include <core/loop_table.hpp>
#include <core/progress.hpp>
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

/// Collective if loops run on devices.
void report_startup(Runtime& runtime) {
  for (const std::string& what : core::unknown_switches(environ)) runtime.log.warning(what);
  if (!runtime.options.ignored.empty())
    runtime.log.warning(fmt::format(
        "switches that name files are ignored, since the program has more privileges than its user "
        "(set-user-id): {}; call it with the user's own",
        fmt::join(runtime.options.ignored, ", ")));
  if (runtime.pool.size() > runtime.topology.cores)
    runtime.log.warning(
        fmt::format("more threads than cores: OP2_THREADS={}, {} cores; threads will wait for each "
                    "other, set it to the number of cores",
                    runtime.pool.size(), runtime.topology.cores));
  runtime.log.info(fmt::format("libop2 {}: {}", OP2_VERSION_STRING,
                               core::counted(runtime.pool.size(), "thread")));
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
  if (comm::launched_rank() > 0) std::this_thread::sleep_for(time_of_root);
  core::Log(core::LogLevel::error).error(error.what());
  if (sessions().handler != nullptr) sessions().handler(error, comm::launched_rank());
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

const core::Dat& checked_dat(const char* function, op_dat dat) {
  core::check_handle(usable(function).mesh, function, dat);
  return *core::record_of(dat);
}

const core::Dat& readable_dat(const char* function, op_dat dat) {
  core::check_handle(readable(function).mesh, function, dat);
  return *core::record_of(dat);
}

}  // namespace op2::api

namespace {

/// MPI if a launcher started several processes, or if the program uses it.
std::unique_ptr<op2::comm::MpiSession> mpi_if_wanted(std::optional<int> communicator) {
  using namespace op2;
  if (communicator || comm::launched_processes() > 1 || comm::mpi_is_running())
    return comm::start_mpi(communicator);
  return nullptr;
}

void start(int argc, char** argv, int diags, std::optional<int> communicator) {
  using namespace op2;
  core::check_words("op_init", argc, argv);
  for (int k = 1; k < argc; ++k) {
    if (std::strcmp(argv[k], "--op2-help") == 0) api::print_and_end(core::switches_as_text());
    if (std::strcmp(argv[k], "--op2-version") == 0) api::print_and_end(api::version_text());
  }
  auto& running = api::sessions().running;
  // In the child of a fork the parent's session is abandoned: its threads do not exist here.
  if (running != nullptr && running->forked()) running.release();
  if (running != nullptr)
    core::fail(ErrorCode::already_initialised,
               "libop2 is running already: op_init; call op_exit first");
  const core::Options options = core::read_options(api::variable, core::is_privileged());
  auto mpi = mpi_if_wanted(communicator);
  const core::LogLevel level = api::log_level(options, diags);
  const op_error_handler handler = api::sessions().handler;
  std::unique_ptr<api::Runtime> runtime;
  const bool is_first = mpi == nullptr || mpi->communicator->is_root();
  core::Log starting(is_first ? level : core::LogLevel::error,
                     mpi == nullptr ? "" : mpi->communicator->log_prefix(),
                     std::chrono::milliseconds(options.patience_ms));
  try {
    const core::Progress progress(starting, "op_init");
    runtime =
        std::make_unique<api::Runtime>(options, core::topology_of_process(), level, mpi, handler);
  } catch (const Error& error) {
    if (mpi == nullptr) throw;
    core::Log log(level, mpi->communicator->log_prefix());
    if (api::end_others(log, *mpi->communicator, handler, error))
      static_cast<void>(mpi.release());  // ending it is collective, and the others wait elsewhere
    throw;
  }
  api::check_report_paths(*runtime);
  api::begin_background(*runtime);
  if (options.check_bits) runtime->bits_check = std::make_unique<api::BitsCheck>(*runtime);
  if (options.check_pointers && runtime->device != nullptr)
    runtime->pointer_check = std::make_unique<api::PointerCheck>(runtime->mesh, runtime->log);
  if (!options.hash_file.empty()) runtime->value_log = std::make_unique<api::ValueLog>(*runtime);
  api::report_startup(*runtime);
  runtime->profile.enter(core::Part::program);
  running = std::move(runtime);
  if (running->mpi != nullptr) running->mpi->on_finalize(api::report_early_finalize);
  api::watch_thread();
}

}  // namespace

void op_init(int argc, char** argv, int diags) {
  start(argc, argv, diags, {});
}

void op_mpi_init(int argc, char** argv, int diags, int communicator) {
  start(argc, argv, diags, communicator);
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
    if (runtime->value_log) runtime->value_log->close();
    if (runtime->recorder) api::write_model(*runtime);
    const core::InPart waiting(&runtime->profile, core::Part::messages);
    const core::Progress progress(runtime->log, "op_exit, until other ranks call it");
    runtime->enter("op_exit");  // ranks that still run loops learn that this one does not
    runtime->ranks().barrier();
  });
  while (runtime->profile.end_region()) {
  }
  if (const std::string loops = core::fallen_back_as_text(runtime->table); !loops.empty())
    runtime->log.warning(loops);
  attempt([&] { api::write_timing(*runtime); });
  attempt([&] { api::write_trace(*runtime); });
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
