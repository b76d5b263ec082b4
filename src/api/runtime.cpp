// SPDX-License-Identifier: BSD-3-Clause
#include <api/runtime.hpp>

#include <new>
#include <string_view>

#include <core/error.hpp>
#include <sched/lower.hpp>

namespace op2::api {
namespace {

int thread_count(const core::Options& options, const core::Topology& topology) {
  return options.threads > 0 ? options.threads : topology.cores;
}

jit::JitOptions jit_options(const core::Options& options, const core::Mesh& mesh,
                            core::Trace& trace) {
  const std::string_view sanitizers = OP2_SANITIZERS;
  jit::JitOptions j;
  j.plugin_dir = options.plugin_dir;
  j.cpu = options.jit_cpu;
  j.cache.mode = options.cache;
  j.cache.directory = options.cache_dir;
  j.cache.max_bytes = options.cache_max_bytes;
  j.sanitizers.address = sanitizers.find("address") != std::string_view::npos;
  j.sanitizers.undefined = sanitizers.find("undefined") != std::string_view::npos;
  j.sanitizers.thread = sanitizers.find("thread") != std::string_view::npos;
  j.trace = &trace;
  j.constants = [&mesh] { return sched::constants_of(mesh); };
  return j;
}

/// Sets a flag for the life of the object.
struct Marked {
  explicit Marked(bool& flag) : marked(flag) { marked = true; }
  ~Marked() { marked = false; }
  bool& marked;
};

}  // namespace

Runtime::Runtime(core::Options given, const core::Topology& topology, core::LogLevel level)
    : options(std::move(given)),
      log(level),
      trace(!options.trace.empty()),
      pool(thread_count(options, topology), topology),
      jit(jit_options(options, mesh, trace), log),
      engine(options, pool, jit, table, trace, log) {
  if (options.jit != core::JitMode::off && options.target == core::Target::cpu) jit.load_ahead();
}

void Runtime::check_usable() const {
  if (!failure_.empty())
    core::fail(ErrorCode::poisoned,
               "an earlier error discarded queued loops, so results are not available; it was: {}",
               failure_);
}

void Runtime::check_caller() const {
  if (std::this_thread::get_id() != thread_)
    core::fail(ErrorCode::wrong_thread,
               "libop2 was called from another thread than the one that called op_init; call it "
               "from that one");
  if (executing_)
    core::fail(ErrorCode::inside_kernel,
               "libop2 was called from inside a kernel; a kernel may only use its arguments");
}

void Runtime::poison(const std::string& reason) {
  failure_ = reason;
  log.error(fmt::format("{} queued loops are discarded", queue.size()));
  queue.clear();
}

void Runtime::flush() {
  check_usable();
  try {
    const Marked executing(executing_);
    engine.flush(queue, mesh);
  } catch (const std::bad_alloc&) {
    poison("out of memory");
    core::fail(ErrorCode::out_of_memory, "there is no memory to plan or execute the queued loops");
  } catch (const std::exception& error) {
    poison(error.what());
    throw;
  } catch (...) {
    poison("a kernel's host function threw what is no std::exception");
    throw;
  }
  mesh.recycle();
}

void Runtime::flush_if_full() {
  constexpr std::size_t max_bytes = std::size_t{64} << 20;
  if (queue.size() >= static_cast<std::size_t>(options.queue_max) ||
      queue.captured_bytes() > max_bytes)
    flush();
}

}  // namespace op2::api
