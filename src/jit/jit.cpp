// SPDX-License-Identifier: BSD-3-Clause
#include <jit/jit.hpp>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/core.h>

#include <core/signals.hpp>
#include <jit/backend.hpp>
#include <jit/emit_cpu.hpp>
#include <jit/kernel_cache.hpp>
#include <jit/kernel_text.hpp>
#include <jit/loop_builder.hpp>
#include <jit/plugin_loader.hpp>

namespace op2::jit {
namespace {

/// A longer wait for code is worth a line in the log.
constexpr double patience_seconds = 1.0;

/// A loop that this call has to build.
struct Duty {
  const LoopRequest* request;
  std::promise<Built> promise;
};

/// Calls work(0) ... work(count - 1), on this thread and up to `threads` - 1 others.
void run_parallel(std::size_t count, std::size_t threads,
                  const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::jthread> helpers;
  try {
    const core::SignalsBlocked blocked;
    while (helpers.size() + 1 < std::min(count, threads)) helpers.emplace_back(run);
  } catch (const std::system_error&) {
    // No more threads to be had: those that run do all the work.
  }
  run();
}

Built failure(ErrorCode code, const LoopRequest& request, const char* reason) {
  return {nullptr, Error(code, fmt::format("loop '{}' ({}): code could not be made: {}",
                                           request.loop, request.call_site, reason))};
}

Built build(const LoopBuilder& builder, const LoopRequest& request) {
  try {
    return {builder.build(request), {}};
  } catch (const Error& error) {
    return {nullptr, error};
  } catch (const std::bad_alloc& error) {
    return failure(ErrorCode::out_of_memory, request, error.what());
  } catch (const std::exception& error) {
    return failure(ErrorCode::internal, request, error.what());
  }
}

}  // namespace

LoopShape shape_of(const op_kernel_core& kernel, std::vector<ArgShape> args,
                   std::span<const Constant> declared) {
  const std::filesystem::path file = kernel.file == nullptr ? "" : kernel.file;
  LoopShape shape;
  shape.kernel = kernel.name;
  shape.text = kernel.source;
  shape.args = std::move(args);
  shape.includes = read_includes(shape.text, file.parent_path());
  const auto identifiers = identifiers_in(shape.text, shape.includes);
  for (const Constant& constant : declared) {
    if (!identifiers.contains(constant.name)) continue;
    shape.constants.push_back({constant.name, constant.type, constant.dim});
  }
  std::sort(shape.constants.begin(), shape.constants.end());
  return shape;
}

std::string source_of(const LoopShape& shape) {
  return emit_cpu(shape);
}

struct Jit::Parts {
  Parts(JitOptions given, core::Log& sink, std::function<std::shared_ptr<Backend>()> loader)
      : options(std::move(given)), log(sink), load(std::move(loader)) {}

  JitOptions options;
  core::Log& log;
  std::function<std::shared_ptr<Backend>()> load;
  std::mutex mutex;  ///< of all that follows, `memory` excepted
  std::shared_ptr<Backend> backend;
  std::unique_ptr<DiskCache> disk;
  op_jit_statistics statistics{};
  KernelCache memory;
  std::jthread ahead;  ///< last: ends before what it fills goes

  /// Loads the compiler and opens the cache, once.
  void start() {
    const std::lock_guard lock(mutex);
    if (backend == nullptr) backend = load();
    if (disk == nullptr) disk = DiskCache::open(options.cache, log);
  }

  std::size_t threads() const {
    if (options.threads > 0) return static_cast<std::size_t>(options.threads);
    return std::max(2U, std::thread::hardware_concurrency());
  }

  void build_all(std::vector<Duty>& duties);
  void complete(Duty& duty, Built built);
  void count_wait(core::Clock::time_point begin, std::size_t built, std::size_t found);
};

void Jit::Parts::complete(Duty& duty, Built built) {
  if (built.code) {
    const std::lock_guard lock(mutex);
    ++(built.code->from_disk ? statistics.disk_hits : statistics.compiled);
    statistics.compile_seconds += built.code->compile_seconds;
  }
  memory.complete(duty.request->shape, duty.promise, std::move(built));
}

void Jit::Parts::build_all(std::vector<Duty>& duties) {
  std::vector<Constant> declared;
  try {
    start();
    if (options.constants) declared = options.constants();
  } catch (const Error& error) {
    for (Duty& duty : duties) complete(duty, {nullptr, error});
    return;
  } catch (const std::exception& error) {
    for (Duty& duty : duties) {
      complete(duty, failure(ErrorCode::internal, *duty.request, error.what()));
    }
    return;
  }
  const LoopBuilder builder(options, *backend, *disk, log, declared);
  run_parallel(duties.size(), threads(),
               [&](std::size_t i) { complete(duties[i], build(builder, *duties[i].request)); });
}

void Jit::Parts::count_wait(core::Clock::time_point begin, std::size_t built, std::size_t found) {
  const double seconds = std::chrono::duration<double>(core::Clock::now() - begin).count();
  if (seconds > patience_seconds) {
    log.info(fmt::format("waited {:.1f} s for the code of {} kernels", seconds, built + found));
  }
  const std::lock_guard lock(mutex);
  statistics.wait_seconds += seconds;
  statistics.memory_hits += static_cast<std::int64_t>(found);
}

namespace {

std::function<std::shared_ptr<Backend>()> plugin_loader(const JitOptions& options) {
  return [folder = options.plugin_dir, cpu = options.cpu] { return load_backend(folder, cpu); };
}

}  // namespace

Jit::Jit(JitOptions options, core::Log& log) : Jit(options, log, plugin_loader(options)) {}

Jit::Jit(JitOptions options, core::Log& log, std::function<std::shared_ptr<Backend>()> load)
    : parts_(std::make_unique<Parts>(std::move(options), log, std::move(load))) {}

Jit::~Jit() = default;

void Jit::load_ahead() {
  const auto load = [parts = parts_.get()] {
    try {
      parts->start();
    } catch (const std::exception&) {
      // `get` tries again and reports it.
    }
  };
  try {
    const core::SignalsBlocked blocked;
    parts_->ahead = std::jthread(load);
  } catch (const std::system_error&) {
    // No thread to be had: `get` loads.
  }
}

std::vector<Outcome> Jit::get(std::span<const LoopRequest> requests) {
  const auto begin = core::Clock::now();
  std::vector<std::shared_future<Built>> results;
  std::vector<Duty> duties;
  for (const LoopRequest& request : requests) {
    KernelCache::Slot slot = parts_->memory.find_or_add(request.shape);
    results.push_back(std::move(slot.result));
    if (slot.duty) duties.push_back({&request, std::move(*slot.duty)});
  }
  if (!duties.empty()) parts_->build_all(duties);
  std::vector<Outcome> outcomes;
  for (const auto& result : results)
    outcomes.push_back({result.get().code.get(), result.get().error});
  parts_->count_wait(begin, duties.size(), requests.size() - duties.size());
  return outcomes;
}

op_jit_statistics Jit::statistics() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->statistics;
}

}  // namespace op2::jit
