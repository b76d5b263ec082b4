// SPDX-License-Identifier: BSD-3-Clause
#include <api/runtime.hpp>

#include <algorithm>
#include <cstring>
#include <new>

#include <op2/version.hpp>

#include <api/listeners/listeners.hpp>
#include <api/processors.hpp>
#include <comm/messages/agreement.hpp>
#include <comm/messages/records.hpp>
#include <core/arithmetic.hpp>
#include <core/error.hpp>
#include <core/log.hpp>
#include <core/measurements/measurements.hpp>
#include <sched/passes.hpp>

namespace op2::api {
namespace {

/// Only the first rank logs warnings and notes, which all ranks have.
core::LogLevel level_of(const comm::Communicator& ranks, core::LogLevel level) {
  return ranks.is_root() || level == core::LogLevel::debug ? level
                                                           : std::min(level, core::LogLevel::error);
}

/// Whether all ranks have an error of this code, each at another point of the program.
bool is_mismatch(ErrorCode code) {
  return code == ErrorCode::collective_mismatch || code == ErrorCode::rank_ended;
}

/// Errors that every rank has equally, because they follow from what all ranks know.
bool is_uniform(ErrorCode code) {
  return !is_mismatch(code) && code != ErrorCode::communication_failure &&
         code != ErrorCode::out_of_memory && code != ErrorCode::internal &&
         code != ErrorCode::io_failure && code != ErrorCode::device_failure &&
         code != ErrorCode::no_device && code != ErrorCode::device_compiler &&
         code != ErrorCode::host_function_threw;
}

/// OP2_CHECK=bits keeps rows, which must not move meanwhile.
comm::RowOrder row_order(const core::Options& options) {
  const bool as_needed = options.reproducible && !options.check_bits;
  return {options.renumber, options.reproducible,
          as_needed ? core::shallowest_tracked : core::deepest_tracked};
}

/// The switches that must have one value on all ranks, because ranks with different ones would wait
/// for each other in different calls, or execute different chains: their names and values, in one
/// line, which op_init compares. Values are numbers of those in docs/switches.md, from 0; of files
/// only whether they are named.
std::string agreed_switches(const core::Options& options) {
  const auto number = [](auto value) { return static_cast<int>(value); };
  const int debug_words = (options.eliminate_dead_loops ? 0 : 1) + 2 * number(options.simd) +
                          (options.fuse ? 0 : 8) + (options.queue_loops ? 0 : 16);
  // Only auto counts with tiles on all ranks; otherwise each rank may choose its own.
  const core::Tiling tile =
      options.chain == core::ChainMode::automatic ? options.tile : core::Tiling{};
  const int checks = number(options.check_bits) + 2 * number(options.check_finite);
  return fmt::format(
      "OP2_CHAIN {}, OP2_DEPTH_MAX {}, slice {}, OP2_TILE {} of {} rows, queue_max {}, "
      "exchange {}, OP2_TARGET {}, "
      "OP2_JIT {}, OP2_GPU_INC {}, OP2_REPRODUCIBLE {}, OP2_FP_CONTRACT {}, OP2_REDUCE {}, "
      "node_size {}, "
      "schedules {}, OP2_DEBUG {} (numbers of their values), OP2_PARTITIONER '{}', OP2_TIMING {}, "
      "OP2_TRACE {}, OP2_HASH {}, OP2_MODEL {}, OP2_ASYNC_IO {} (set or not), OP2_CHECK {}",
      number(options.chain), options.depth_max, number(options.slice), number(tile.mode), tile.rows,
      options.queue_max, number(options.exchange), number(options.target), number(options.jit),
      number(options.gpu_increments), options.reproducible, options.contracts(),
      number(options.reduce), options.node_size, options.schedules, debug_words,
      options.partitioner, !options.timing.empty(), !options.trace.empty(),
      !options.hash_file.empty(), !options.model_file.empty(), options.async_io_bytes > 0, checks);
}

/// Of a job of several ranks.
int exit_code(ErrorCode code) {
  return 64 + static_cast<int>(code) / 100;
}

/// Sets a flag for the life of the object.
struct Marked {
  explicit Marked(bool& flag) : marked(flag) { marked = true; }
  ~Marked() { marked = false; }
  bool& marked;
};

}  // namespace

bool end_others(core::Log& log, comm::Communicator& ranks, op_error_handler handler,
                const Error& error) {
  if (ranks.size() == 1) return false;
  log.error(error.what());
  if (handler != nullptr)
    handler(error, ranks.rank());
  else
    ranks.end_job(exit_code(error.code()));
  return true;
}

Runtime::Runtime(core::Options given, const core::Topology& of_process, core::LogLevel level,
                 std::unique_ptr<comm::MpiSession>& session, op_error_handler handler)
    : options(std::move(given)),
      self(session == nullptr ? comm::make_self_communicator() : nullptr),
      device(open_device(options, session.get())),
      rows(mesh, session ? *session->communicator : *self, row_order(options)),
      log(level_of(ranks(), level), ranks().log_prefix(),
          std::chrono::milliseconds(options.progress_interval_ms)),
      topology(share_of_machine(of_process, ranks())),
      pool(options.threads > 0 ? options.threads : topology.threads(), topology),
      host_jit(device == nullptr ? nullptr
                                 : std::make_unique<jit::Jit>(
                                       jit_options(options, mesh, measurements.listeners), log)),
      jit(make_jit(options, jit_options(options, mesh, measurements.listeners), log, device.get(),
                   host_jit.get())),
      engine({options, topology, pool, rows, jit, host_jit.get(), device.get(), measurements, log,
              sched::prover_of(options, jit, host_jit.get())}),
      crash_report(level != core::LogLevel::off, ranks().log_prefix()),
      makers_{&jit},
      engines_{&engine},
      handler_(handler),
      queue_bound_(static_cast<std::size_t>(options.queue_max)) {
  if (host_jit != nullptr) makers_.push_back(host_jit.get());
  if (!options.tools.empty())  // first, so that a tool hears of everything
    measurements.listeners.push_back(make_tools(*this));
  ranks().watch().on_long_wait([waits = std::make_shared<core::Log>(level, ranks().log_prefix())](
                                   const std::string& text) { waits->warning_once(text, text); });
  if (options.jit != core::JitMode::off && options.target == core::Target::cpu) jit.preload();
  enter("op_init of libop2 {} with {}", OP2_VERSION_STRING, agreed_switches(options));
  ranks().barrier();
  ranks().reduce_by(options.reduce, options.node_size);
  if (device != nullptr) device->leave();
  mpi = std::move(session);
}

Runtime::~Runtime() {
  join_threads();  // which tell of spans
  measurements.listeners.clear();
}

void Runtime::announce(std::string call) {
  ++calls_;
  ranks().set_signature(
      {sched::fingerprint_of(call) ^ core::splitmix64(calls_), [call] { return call; }});
  call_ = std::move(call);
}

/// The error that `action` throws, if any, as an error of the last entered call.
std::optional<Error> Runtime::failure_of(const std::function<void()>& action) const {
  return comm::error_of(call_, action);
}

void Runtime::compare_declarations(std::string_view path) {
  if (!ranks().has_declared()) return;
  const core::Progress progress(log, fmt::format("writing '{}'", path));
  ranks().barrier();
}

void Runtime::check_together(const std::function<void()>& check) {
  comm::throw_together(ranks(), failure_of(check));
}

std::vector<std::string> Runtime::texts_on_root(const std::function<std::string()>& mine) {
  std::vector<std::string> texts;
  guard([&] {
    for (const auto& message : comm::gather_on_root(ranks(), comm::bytes_of(mine())))
      texts.push_back(comm::text_of(message.bytes));
  });
  return texts;
}

void Runtime::check_usable() const {
  if (failure_.empty()) return;
  if (readable_)
    core::fail(ErrorCode::poisoned,
               "the session only gives the values of before the loops that were discarded after an "
               "error: op_fetch_data and op_fetch_global do; correct that error: {}",
               failure_);
  core::fail(ErrorCode::poisoned,
             "results are not available: loops were discarded after an error; end the session and "
             "correct that error: {}",
             failure_);
}

void Runtime::check_readable() const {
  if (!readable_) check_usable();
}

void Runtime::check_caller() const {
  if (!is_on_its_thread())
    core::fail(
        ErrorCode::wrong_thread,
        "wrong thread: libop2 was called from a thread that did not call op_init; call it from "
        "that one");
  if (executing_)
    core::fail(ErrorCode::inside_kernel,
               "called from inside a kernel: a function of libop2; use only arguments there");
}

/// Ends what the session can still do. @return the error, and what follows from it
/// @param readable  but for reading dats and globals, on all ranks
Error Runtime::poisoned_by(const Error& error, bool readable) {
  failure_ = error.what();
  readable_ = readable;
  const std::size_t loops = queue.size();
  queue.clear();
  const bool once = ranks().is_root() || !is_uniform(error.code());  // per job
  if (loops == 0 || !once) return error;
  const std::string_view text = core::text_without_code(failure_);
  return {error.code(),
          fmt::format("{}\nqueued loops that are discarded: {}{}", text, loops,
                      readable_ ? "; none has run: op_fetch_data gives the values of before" : "")};
}

/// For what a host function of a kernel has thrown. Returns if only this rank has to know.
void Runtime::host_function_threw(const std::string& what) {
  const Error failure =
      poisoned_by({ErrorCode::host_function_threw,
                   fmt::format("a host function of a kernel threw: {}; catch it there", what)});
  if (tell_others(failure)) throw failure;
  log.error(failure.what());
}

/// For an error of this rank. @return whether others wait for it
bool Runtime::tell_others(const Error& error) {
  const bool executing = std::ranges::any_of(engines_, &sched::Engine::executing);
  if (is_uniform(error.code()) && !executing) return false;
  const bool others_wait = end_others(log, ranks(), handler_, error);
  reported_ = reported_ || others_wait;
  return others_wait;
}

void Runtime::end_job(const Error& error) {
  if (!std::exchange(reported_, true)) {
    if (!ranks().is_root()) std::this_thread::sleep_for(time_of_root);
    core::Log(core::LogLevel::error, ranks().log_prefix()).error(error.what());
    if (handler_ != nullptr) handler_(error, ranks().rank());
  }
  ranks().end_job(exit_code(error.code()));
}

void Runtime::flush() {
  check_readable();
  if (readable_) return;
  const gpu::CurrentContext current(driver_of(device.get()));
  try {
    const Marked executing(executing_);
    if (!queue.empty()) execute();
  } catch (const std::bad_alloc&) {
    const Error failure = poisoned_by({ErrorCode::out_of_memory,
                                       "out of memory: the queued loops, to plan or execute; use a "
                                       "smaller mesh or more machines"});
    tell_others(failure);
    throw failure;
  } catch (const Error& error) {
    const bool intact =
        error.code() == ErrorCode::out_of_memory && !options.check_bits && engine.is_intact();
    const Error failure = poisoned_by(error, intact);
    if (!intact) tell_others(failure);
    throw failure;
  } catch (const std::exception& error) {
    host_function_threw(error.what());
    throw;
  } catch (...) {
    host_function_threw("something that is not a std::exception");
    throw;
  }
  mesh.recycle();
  mention_partition();
}

void Runtime::execute() {
  const core::InPart part(&measurements.profile, core::Part::loops);
  for (const auto& listener : measurements.listeners) listener->flush_begins();
  engine.flush(queue, mesh);
  for (const auto& listener : measurements.listeners) listener->flush_ends();
}

void Runtime::finish() {
  flush();
  const core::InPart part(device == nullptr ? nullptr : &measurements.profile, core::Part::loops);
  guard([this] { engine.wait(); }, true);
}

void Runtime::download_all_dats() {
  guard([this] {
    for (const auto& dat : mesh.dats()) dat->rows.host_read();
    for (const auto& listener : measurements.listeners) listener->dats_downloaded();
  });
}

void Runtime::join_threads() {
  for (jit::Jit* maker : makers_) maker->join_threads();
}

op_jit_statistics Runtime::jit_statistics() const {
  op_jit_statistics all = jit.statistics();
  if (host_jit == nullptr) return all;
  const op_jit_statistics host = host_jit->statistics();
  all.compiled += host.compiled;
  all.disk_hits += host.disk_hits;
  all.received += host.received;
  all.memory_hits += host.memory_hits;
  all.compile_seconds += host.compile_seconds;
  all.wait_seconds += host.wait_seconds;
  return all;
}

/// @param moves_rows  some dats may have moved when it fails, others not: the session is over
void Runtime::guard(const std::function<void()>& action, bool moves_rows) {
  const std::optional<Error> failure = failure_of([&] {
    const gpu::CurrentContext current(driver_of(device.get()));
    action();
  });
  if (!failure) return;
  if (is_uniform(failure->code())) throw *failure;
  // All ranks have a mismatch; for any other error they wait, with data on the way between them.
  const bool mismatch = is_mismatch(failure->code());
  const bool others_wait = !mismatch && tell_others(*failure);
  if (mismatch || others_wait || moves_rows) throw poisoned_by(*failure);
  throw *failure;
}

void Runtime::return_to_declared() {
  std::optional<core::Progress> progress;
  if (!rows.as_declared()) progress.emplace(log, "ordering rows as declared");
  // In the reproducible mode queued loops have the order that what is declared now would change.
  if (!rows.as_declared() || options.reproducible) {
    flush();
    engine.forget_halos();
  }
  guard([this] { rows.return_to_declared(); }, true);
}

void Runtime::decide_order(op_dat coordinates) {
  const bool uses = coordinates != nullptr && core::record_of(coordinates)->are_coordinates();
  collectively([&] { rows.decide_order(uses ? core::record_of(coordinates) : nullptr); });
}

void Runtime::settle() {
  guard([this] { rows.ensure_rows(0); }, true);
}

std::span<const std::byte> Runtime::fetch(const core::Dat& dat, comm::Bytes& storage) {
  flush();
  for (const auto& listener : measurements.listeners) listener->fetched(dat);
  enter("fetch of dat '{}'", dat.name_storage);
  return collectively([&] { return rows.declared_rows(dat, storage); });
}

void Runtime::set_rows(core::Dat& dat, const void* values) {
  const std::size_t bytes = dat.declared_bytes();
  if (!rows.as_declared())
    collectively([&] { rows.set_declared_rows(dat, values); });
  else if (bytes > 0)
    std::memcpy(dat.rows.host_overwrite().get(), values, bytes);
  engine.forget_halo(dat);
}

void Runtime::flush_if_full() {
  constexpr std::size_t max_bytes = std::size_t{64} << 20;
  const auto most = static_cast<std::size_t>(options.queue_max);
  const std::size_t size = queue.size();
  if (size == most / 2 || size == queue_bound_ || size == most) adapt_queue_bound();
  if (size >= queue_bound_ || queue.captured_bytes() > max_bytes) flush();
}

/// Looks for a period when the queue is half full, so that already the first chain is a whole
/// number of time steps if these are short; and again when it is full: if the loops still do not
/// repeat, the bound stays at its maximum.
void Runtime::adapt_queue_bound() {
  const auto most = static_cast<std::size_t>(options.queue_max);
  const std::size_t period = queue.period();
  if (period > 0)
    queue_bound_ = most - most % period;
  else if (queue.size() >= queue_bound_)
    queue_bound_ = most;
}

/// On one rank of several, by what that rank has executed: costs no message.
void Runtime::mention_partition() {
  if (partitioned || !ranks().is_root()) return;
  constexpr std::int64_t enough = 20'000;  // iterations
  constexpr double large = 0.2;            // of them
  const op_chain_statistics& iterations = engine.statistics();
  const std::int64_t all = iterations.interior_iterations + iterations.boundary_iterations;
  const double share = static_cast<double>(iterations.redundant_iterations) /
                       static_cast<double>(std::max<std::int64_t>(all, 1));
  if (all < enough || share < large) return;
  log.warning_once("partition",
                   fmt::format("op_partition was not called: each rank owns the elements that it "
                               "declares, and {:.0f} % of {} iterations of rank 0 are redundant; "
                               "call op_partition before the first loop",
                               100 * share, all));
}

}  // namespace op2::api
