// SPDX-License-Identifier: BSD-3-Clause
#include <jit/jit.hpp>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/core.h>

#include <core/clock.hpp>
#include <core/error.hpp>
#include <core/progress.hpp>
#include <core/signals.hpp>
#include <core/text.hpp>
#include <jit/byte_stream.hpp>
#include <jit/cache_entry.hpp>
#include <jit/fact_finder.hpp>
#include <jit/loop_key.hpp>
#include <jit/loop_maker.hpp>
#include <jit/remote/remote_backend.hpp>
#include <jit/run_parallel.hpp>
#include <jit/target/cpu/cpu_target.hpp>

namespace op2::jit {
namespace {

/// Longer waits for code are logged.
constexpr double slow_compile_seconds = 1.0;

/// Whether the error is one of the source and not of the machine: the compiler would reject it
/// again.
bool is_permanent(ErrorCode code) {
  switch (code) {
    case ErrorCode::kernel_source:
    case ErrorCode::kernel_signature:
    case ErrorCode::kernel_include:
    case ErrorCode::unknown_symbol:
    case ErrorCode::kernel_limits:
    case ErrorCode::kernel_access:
      return true;
    default:
      return false;
  }
}

/// Says "compiling 37 of 120 kernels" at each progress interval of the log.
class CompileProgress {
 public:
  CompileProgress(std::size_t kernels, core::Log& log)
      : shown_(log, [this, kernels](double) {
          return fmt::format("compiling {} of {}", std::min(finished_ + 1, kernels),
                             core::counted(kernels, "kernel"));
        }) {}

  /// The work on one kernel, which may fail. Any thread.
  class Kernel {
   public:
    explicit Kernel(CompileProgress& progress) : progress_(progress) {}
    ~Kernel() { ++progress_.finished_; }
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;

   private:
    CompileProgress& progress_;
  };

 private:
  std::atomic<std::size_t> finished_ = 0;
  const core::Progress shown_;  ///< ends before what it reads
};

/// Makes the code of the i-th request.
using MakeLoop = std::function<LoopCode(std::size_t i)>;

std::function<std::shared_ptr<Backend>()> remote_loader(const JitOptions& options, core::Log& log) {
  return [folder = options.plugin_dir, cpu = options.cpu, limit = options.limit, &log] {
    return load_remote_backend(folder, cpu, limit, log);
  };
}

std::function<std::shared_ptr<Target>()> cpu_loader(
    const JitOptions& options, core::Log& log, std::function<std::shared_ptr<Backend>()> load) {
  return [options, &log, load = std::move(load)] { return make_cpu_target(load(), options, log); };
}

}  // namespace

struct Jit::Parts {
  Parts(JitOptions given, core::Log& sink, std::function<std::shared_ptr<Target>()> loader)
      : options(std::move(given)), log(sink), load(std::move(loader)) {}

  JitOptions options;
  core::Log& log;
  std::function<std::shared_ptr<Target>()> load;
  std::mutex loading, opening;  ///< of `target`, of `disk`
  std::shared_ptr<Target> target;
  std::unique_ptr<DiskCache> disk;
  std::map<LoopNest, LoopCode> memory;
  op_jit_statistics statistics{};
  core::Clock::time_point begin;  ///< of waiting for what was missing
  FactFinder facts{[this]() -> Target& { return loaded(); },
                   [this]() -> DiskCache& { return opened(); }};
  std::jthread preloading;  ///< joined before members above are destroyed

  /// The target, loaded once.
  Target& loaded() {
    const std::lock_guard lock(loading);
    if (target == nullptr) target = load();
    return *target;
  }

  /// The cache directory, opened once; also while the target is being loaded.
  DiskCache& opened() {
    const std::lock_guard lock(opening);
    if (disk == nullptr) disk = DiskCache::open(options.cache, log);
    return *disk;
  }

  std::vector<Constant> declared() const {
    return options.constants ? options.constants() : std::vector<Constant>{};
  }

  std::size_t threads() const {
    if (options.threads > 0) return options.threads;
    return std::max(2U, std::thread::hardware_concurrency());
  }

  std::vector<LoopCode> make_each(std::span<const LoopRequest> requests,
                                  const std::function<MakeLoop()>& start);
};

/// @param start  returns the function that makes each; its exception is the result of all
std::vector<LoopCode> Jit::Parts::make_each(std::span<const LoopRequest> requests,
                                            const std::function<MakeLoop()>& start) {
  std::vector<LoopCode> codes(requests.size());
  try {
    const MakeLoop make = start();
    std::vector<std::size_t> costs;
    for (const LoopRequest& request : requests) costs.push_back(request.nest.args.size());
    run_parallel(costs, threads(), [&](std::size_t i) {
      try {
        codes[i] = make(i);
      } catch (const std::exception&) {
        codes[i] = failed_code(requests[i]);
      }
    });
  } catch (const std::exception&) {
    for (std::size_t i = 0; i < requests.size(); ++i) codes[i] = failed_code(requests[i]);
  }
  return codes;
}

Jit::Jit(JitOptions options, core::Log& log) : Jit(options, log, remote_loader(options, log)) {}

Jit::Jit(JitOptions options, core::Log& log, std::function<std::shared_ptr<Backend>()> load)
    : Jit(options, log, cpu_loader(options, log, std::move(load))) {}

Jit::Jit(JitOptions options, core::Log& log, std::function<std::shared_ptr<Target>()> load)
    : parts_(std::make_unique<Parts>(std::move(options), log, std::move(load))) {}

Jit::~Jit() = default;

void Jit::preload() {
  const auto load = [parts = parts_.get()] {
    try {
      parts->loaded();
    } catch (const std::exception&) {
      // `compile` tries again and reports it.
    }
  };
  try {
    const core::SignalsBlocked blocked;
    parts_->preloading = std::jthread(load);
  } catch (const std::system_error&) {
    // No thread is available: `compile` loads the target.
  }
}

void Jit::join_threads() {
  parts_->preloading = {};
}

std::vector<LoopCode> Jit::compile(std::span<const LoopRequest> requests) {
  const std::vector<LoopRequest> wanted = missing(requests);
  if (!wanted.empty()) keep(wanted, make(wanted));
  return in_memory(requests);
}

std::vector<LoopRequest> Jit::missing(std::span<const LoopRequest> requests) {
  parts_->begin = core::Clock::now();
  std::vector<LoopRequest> wanted;
  for (const LoopRequest& request : requests) {
    const auto known = parts_->memory.find(request.nest);
    const bool is_answered = known != parts_->memory.end() &&
                             (!known->second.error || is_permanent(known->second.error->code()));
    const bool is_wanted =
        std::ranges::find(wanted, request.nest, &LoopRequest::nest) != wanted.end();
    if (!is_answered && !is_wanted) wanted.push_back(request);
  }
  parts_->statistics.memory_hits += std::ssize(requests) - std::ssize(wanted);
  return wanted;
}

std::vector<LoopCode> Jit::make(std::span<const LoopRequest> requests) {
  return parts_->make_each(requests, [&] {
    const auto maker = std::make_shared<const LoopMaker>(
        parts_->options, parts_->loaded(), parts_->opened(), parts_->log, parts_->declared());
    const auto progress = std::make_shared<CompileProgress>(requests.size(), parts_->log);
    return [maker, progress, requests](std::size_t i) {
      const CompileProgress::Kernel kernel(*progress);
      return maker->make(requests[i]);
    };
  });
}

std::vector<LoopCode> Jit::adopt(std::span<const LoopRequest> requests,
                                 std::span<const std::byte> code) {
  return parts_->make_each(requests, [&] {
    std::vector<std::span<const std::byte>> blocks;
    Reader in(code);
    for (std::size_t i = 0; i < requests.size(); ++i) blocks.push_back(in.block());
    return [requests, blocks = std::move(blocks), declared = parts_->declared(),
            &target = parts_->loaded()](std::size_t i) {
      return adopt_code(requests[i], blocks[i], target, declared);
    };
  });
}

void Jit::keep(std::span<const LoopRequest> requests, std::vector<LoopCode> codes) {
  core::ensure(codes.size() == requests.size(), "code of some loops was not made");
  op_jit_statistics& statistics = parts_->statistics;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (const CompiledLoop* code = codes[i].code.get()) {
      ++(code->received    ? statistics.received
         : code->from_disk ? statistics.disk_hits
                           : statistics.compiled);
      statistics.compile_seconds += code->compile_seconds;
    }
    codes[i].entry = nullptr;
    parts_->memory.insert_or_assign(requests[i].nest, std::move(codes[i]));
  }
  const double seconds = core::seconds_since(parts_->begin);
  statistics.wait_seconds += seconds;
  if (seconds > slow_compile_seconds)
    parts_->log.info(fmt::format("waited for the code of {} in {:.1f} s",
                                 core::counted(codes.size(), "kernel"), seconds));
}

std::vector<LoopCode> Jit::in_memory(std::span<const LoopRequest> requests) const {
  std::vector<LoopCode> codes;
  for (const LoopRequest& request : requests) codes.push_back(parts_->memory.at(request.nest));
  return codes;
}

std::vector<KernelFacts> Jit::facts(std::span<const LoopRequest> requests) {
  return parts_->facts.find(requests, parts_->threads());
}

CompileResult Jit::read_kernels(const LoopRequest& request) {
  try {
    return parts_->loaded().read_kernels(request);
  } catch (const std::exception&) {
    CompileResult result;
    result.status = CompileStatus::unavailable;
    return result;
  }
}

std::string Jit::compiled_source(const LoopNest& nest) {
  return joined(parts_->loaded().emit(nest).units);
}

core::Digest Jit::target() {
  return make_key(fields_of({}, {}, parts_->loaded(), {}));
}

op_jit_statistics Jit::statistics() const {
  return parts_->statistics;
}

}  // namespace op2::jit
