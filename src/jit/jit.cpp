// SPDX-License-Identifier: BSD-3-Clause
#include <jit/jit.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/core.h>

#include <core/clock.hpp>
#include <core/error.hpp>
#include <core/signals.hpp>
#include <core/text.hpp>
#include <jit/cache_key.hpp>
#include <jit/fact_finder.hpp>
#include <jit/kernel_cache.hpp>
#include <jit/loop_builder.hpp>
#include <jit/loop_failure.hpp>
#include <jit/loop_key.hpp>
#include <jit/progress.hpp>
#include <jit/remote/remote_backend.hpp>
#include <jit/run_parallel.hpp>
#include <jit/serialized_code.hpp>
#include <jit/target/cpu/cpu_target.hpp>

namespace op2::jit {
namespace {

/// Longer waits for code are logged.
constexpr double patience_seconds = 1.0;

/// Makes the code of the i-th request.
using MakeOne = std::function<Product(std::size_t i)>;

std::vector<Built> built_of(std::vector<Product> products) {
  std::vector<Built> built;
  for (Product& product : products) built.push_back(std::move(product.built));
  return built;
}

}  // namespace

/// The constants declared so far.
using Constants = std::function<std::vector<Constant>()>;

/// Futures of all requests, and promises for those that are not being made yet.
struct Wanted {
  std::vector<std::shared_future<Built>> results;
  std::vector<LoopRequest> missing;
  std::vector<std::promise<Built>> promises;
};

struct Jit::Parts {
  Parts(JitOptions given, core::Log& sink, std::function<std::shared_ptr<Target>()> loader)
      : options(std::move(given)), log(sink), load(std::move(loader)) {}

  JitOptions options;
  core::Log& log;
  std::function<std::shared_ptr<Target>()> load;
  std::mutex opening;  ///< of `disk`, which is used while the target is being loaded
  std::unique_ptr<DiskCache> disk;
  std::mutex mutex;  ///< of all following members but `memory`
  std::shared_ptr<Target> target;
  op_jit_statistics statistics{};
  KernelCache memory;
  FactFinder facts{[this]() -> Target& { return loaded(); },
                   [this]() -> DiskCache& { return opened(); }};
  std::atomic<int> making = 0;  ///< batches in `background`
  std::vector<std::jthread>
      background;           ///< used by one thread only; joined before members above are destroyed
  std::jthread preloading;  ///< likewise

  /// The target, loaded once.
  Target& loaded() {
    const std::lock_guard lock(mutex);
    if (target == nullptr) target = load();
    return *target;
  }

  /// The cache directory, opened once.
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

  std::vector<Product> make_each(std::span<const LoopRequest> requests,
                                 const std::function<MakeOne()>& begin);
  std::vector<Product> produce(std::span<const LoopRequest> requests, const Constants& constants);
  Wanted look_for(std::span<const LoopRequest> requests);
  void make_in_background(Wanted wanted, std::vector<Constant> constants);
  void fulfil(std::span<const LoopRequest> missing, std::vector<std::promise<Built>>& promises,
              const Maker& make);
  void count(const CompiledLoop& code);
  /// Logs a line if it took long.
  /// @return the seconds since `begin`
  double report(core::Clock::time_point begin, const char* did, std::size_t kernels);
  void count_wait(core::Clock::time_point begin, std::size_t built, std::size_t found);
};

/// @param begin  returns the function that makes each; its exception is the outcome of all
std::vector<Product> Jit::Parts::make_each(std::span<const LoopRequest> requests,
                                           const std::function<MakeOne()>& begin) {
  std::vector<Product> products(requests.size());
  try {
    const MakeOne make = begin();
    std::vector<std::size_t> costs;
    for (const LoopRequest& request : requests) costs.push_back(request.nest.args.size());
    run_parallel(costs, threads(), [&](std::size_t i) {
      try {
        products[i] = make(i);
      } catch (const std::exception&) {
        products[i].built = caught(requests[i]);
      }
    });
  } catch (const std::exception&) {
    for (std::size_t i = 0; i < requests.size(); ++i) products[i].built = caught(requests[i]);
  }
  return products;
}

std::vector<Product> Jit::Parts::produce(std::span<const LoopRequest> requests,
                                         const Constants& constants) {
  return make_each(requests, [&] {
    const auto builder =
        std::make_shared<const LoopBuilder>(options, loaded(), opened(), log, constants());
    const auto progress = std::make_shared<Progress>(requests.size(), log);
    return [builder, requests, progress](std::size_t i) {
      const Progress::Step step(*progress);
      return builder->build(requests[i]);
    };
  });
}

/// Fulfils every promise, even after errors, because others may wait.
void Jit::Parts::fulfil(std::span<const LoopRequest> missing,
                        std::vector<std::promise<Built>>& promises, const Maker& make) {
  std::vector<Built> built;
  try {
    built = make(missing);
    core::ensure(built.size() == missing.size(), "code of some loops was not made");
  } catch (const std::exception&) {
    for (std::size_t i = 0; i < promises.size(); ++i)
      memory.complete(missing[i].nest, promises[i], caught(missing[i]));
    throw;
  }
  for (std::size_t i = 0; i < promises.size(); ++i) {
    if (built[i].code) count(*built[i].code);
    memory.complete(missing[i].nest, promises[i], std::move(built[i]));
  }
}

Wanted Jit::Parts::look_for(std::span<const LoopRequest> requests) {
  Wanted wanted;
  for (const LoopRequest& request : requests) {
    KernelCache::Slot slot = memory.find_or_add(request.nest);
    wanted.results.push_back(std::move(slot.result));
    if (!slot.promise) continue;
    wanted.missing.push_back(request);
    wanted.promises.push_back(std::move(*slot.promise));
  }
  return wanted;
}

void Jit::Parts::make_in_background(Wanted wanted, std::vector<Constant> constants) {
  const auto batch = std::make_shared<Wanted>(std::move(wanted));
  const auto work = [this, batch, known = std::move(constants)] {
    const auto begin = core::Clock::now();
    try {
      fulfil(batch->missing, batch->promises, [&](std::span<const LoopRequest> missing) {
        return built_of(produce(missing, [&] { return known; }));
      });
    } catch (const std::exception&) {
      // The error is the outcome of the loops.
    }
    report(begin, "made", batch->missing.size());
    --making;
  };
  if (making == 0) background.clear();
  ++making;
  try {
    const core::SignalsBlocked blocked;
    background.emplace_back(work);
  } catch (const std::system_error&) {
    work();  // no thread is available
  }
}

double Jit::Parts::report(core::Clock::time_point begin, const char* did, std::size_t kernels) {
  const double seconds = core::seconds_since(begin);
  if (seconds > patience_seconds)
    log.info(fmt::format("{} the code of {} in {:.1f} s", did, core::counted(kernels, "kernel"),
                         seconds));
  return seconds;
}

void Jit::Parts::count(const CompiledLoop& code) {
  const std::lock_guard lock(mutex);
  ++(code.received    ? statistics.received
     : code.from_disk ? statistics.disk_hits
                      : statistics.compiled);
  statistics.compile_seconds += code.compile_seconds;
}

void Jit::Parts::count_wait(core::Clock::time_point begin, std::size_t built, std::size_t found) {
  const double seconds = report(begin, "waited for", built + found);
  const std::lock_guard lock(mutex);
  statistics.wait_seconds += seconds;
  statistics.memory_hits += static_cast<std::int64_t>(found);
}

namespace {

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
      // `get` tries again and reports it.
    }
  };
  try {
    const core::SignalsBlocked blocked;
    parts_->preloading = std::jthread(load);
  } catch (const std::system_error&) {
    // No thread is available: `get` loads the target.
  }
}

void Jit::join_threads() {
  parts_->preloading = {};
  parts_->background.clear();
}

std::vector<Outcome> Jit::get(std::span<const LoopRequest> requests) {
  return get(requests, [this](std::span<const LoopRequest> missing) {
    return built_of(parts_->produce(missing, [&] { return parts_->declared(); }));
  });
}

std::vector<Outcome> Jit::get(std::span<const LoopRequest> requests, const Maker& make) {
  const auto begin = core::Clock::now();
  Wanted wanted = parts_->look_for(requests);
  const std::size_t missing = wanted.missing.size();
  if (missing > 0) parts_->fulfil(wanted.missing, wanted.promises, make);
  std::vector<Outcome> outcomes;
  for (const auto& result : wanted.results)
    outcomes.push_back({result.get().code.get(), result.get().error});
  parts_->count_wait(begin, missing, requests.size() - missing);
  return outcomes;
}

std::vector<Outcome> Jit::get_ready(std::span<const LoopRequest> requests) {
  std::vector<Constant> constants = parts_->declared();  // now: the program may declare more later
  Wanted wanted = parts_->look_for(requests);
  const auto results = wanted.results;
  if (!wanted.missing.empty()) parts_->make_in_background(std::move(wanted), std::move(constants));
  std::vector<Outcome> outcomes(results.size());
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].wait_for(std::chrono::seconds(0)) == std::future_status::ready)
      outcomes[i] = {results[i].get().code.get(), results[i].get().error};
  return outcomes;
}

bool Jit::making() const {
  return parts_->making > 0;
}

const CompiledLoop* Jit::in_memory(const LoopNest& nest) const {
  return parts_->memory.find(nest);
}

std::vector<KernelFacts> Jit::facts(std::span<const LoopRequest> requests) {
  return parts_->facts.find(requests, parts_->threads());
}

std::vector<AccessFinding> Jit::access_findings(const LoopRequest& request) {
  try {
    return parts_->loaded().compare_access(request);
  } catch (const std::exception&) {
    return {};
  }
}

std::string Jit::compiled_source(const LoopNest& nest) {
  return joined(parts_->loaded().emit(nest).units);
}

core::Digest Jit::target() {
  return make_key(fields_of({}, {}, parts_->loaded(), {}));
}

Production Jit::produce(std::span<const LoopRequest> requests) {
  std::vector<Product> products = parts_->produce(requests, [&] { return parts_->declared(); });
  std::vector<std::byte> code = serialize(products);
  return {built_of(std::move(products)), std::move(code)};
}

std::vector<Built> Jit::adopt(std::span<const LoopRequest> requests,
                              std::span<const std::byte> code) {
  return built_of(parts_->make_each(requests, [&] {
    return [requests, &target = parts_->loaded(), declared = parts_->declared(),
            each = blocks_of(code, requests.size())](std::size_t i) -> Product {
      return {{deserialize(requests[i], each[i], target, declared), {}}, {}};
    };
  }));
}

op_jit_statistics Jit::statistics() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->statistics;
}

}  // namespace op2::jit
