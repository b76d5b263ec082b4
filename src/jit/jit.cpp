// SPDX-License-Identifier: BSD-3-Clause
#include <jit/jit.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <ctime>
#include <exception>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include <core/clock.hpp>
#include <core/error.hpp>
#include <core/log.hpp>
#include <core/signals.hpp>
#include <core/text.hpp>
#include <jit/byte_stream.hpp>
#include <jit/diagnostics.hpp>
#include <jit/fact_finder.hpp>
#include <jit/remote/remote_backend.hpp>
#include <jit/run_parallel.hpp>
#include <jit/source_rules.hpp>
#include <jit/target/cpu/cpu_target.hpp>

namespace op2::jit {
namespace {

/// Longer waits for code are logged.
constexpr double slow_compile_seconds = 1.0;

/// Whether the error is one of the source and not of the machine: the compiler would reject it
/// again.
bool is_permanent(ErrorCode code) {
  constexpr std::array of_source{ErrorCode::kernel_source,  ErrorCode::kernel_signature,
                                 ErrorCode::kernel_include, ErrorCode::unknown_symbol,
                                 ErrorCode::kernel_limits,  ErrorCode::kernel_access};
  return std::ranges::find(of_source, code) != of_source.end();
}

/// A request with everything that determines its code.
struct LoopJob {
  const LoopRequest& request;
  EmittedLoop loop;
  KeyFields fields;
  Key key;
  std::vector<LinkSymbol> symbols;  ///< the constants of the nest
};

std::vector<LinkSymbol> symbols_of(const LoopNest& nest, std::span<const Constant> declared) {
  std::vector<LinkSymbol> symbols;
  for (const ConstantShape& wanted : constants_of(nest)) {
    const auto found = std::ranges::find_if(
        declared, [&](const Constant& constant) { return shape_of(constant) == wanted; });
    core::ensure(found != declared.end(), "a constant of a kernel is not declared");
    symbols.push_back({constant_symbol(nest, wanted), found->address});
  }
  return symbols;
}

/// For the key, what emitted code does not show: code made without comparison has no findings, so
/// it is not for requests that compare; vector code may compute what elements do not compute.
std::string flags_of(const LoopRequest& request) {
  std::string calls;
  for (std::size_t n = 0; n < request.origins.size(); ++n)
    if (request.origins[n].compare_access)
      calls += fmt::format("{}{}", calls.empty() ? "" : ",", n);
  const bool traps = std::ranges::any_of(request.nest.calls, &KernelCall::traps);
  return (calls.empty() ? "" : fmt::format("access={} ", calls)) + (traps ? "traps=on " : "");
}

/// @param request   must outlive the job
/// @param declared  every constant of the nest is among them
LoopJob job_of(const LoopRequest& request, const Target& target,
               std::span<const Constant> declared) {
  core::ensure(request.origins.size() == request.nest.calls.size(),
               "each kernel call of a nest comes from a loop");
  EmittedLoop loop = target.emit(request.nest);
  KeyFields fields = fields_of(request.nest, loop.units, target, flags_of(request));
  const Key key = make_key(fields);
  return {request, std::move(loop), std::move(fields), key, symbols_of(request.nest, declared)};
}

/// Loads the binary of `entry`. @param linked  says why not, if the result is null
std::shared_ptr<CompiledLoop> load_loop(Target& target, const LoopJob& job, const CacheEntry& entry,
                                        LinkResult& linked) {
  linked = target.load(entry.object, job.loop.symbol, job.symbols);
  if (!linked.code) return nullptr;
  auto loop = std::make_shared<CompiledLoop>();
  loop->target = entry.key.target;
  loop->entry = linked.code->entry();
  loop->key = job.key;
  loop->symbol = job.loop.symbol;
  loop->signature = entry.signature;
  loop->simd = entry.simd;
  loop->flops = entry.flops;
  loop->linked = std::move(linked.code);
  loop->published = target.publish(job.request, entry.object, *loop);
  return loop;
}

[[noreturn]] void fail_to_load(const LoopJob& job, const LinkResult& failed) {
  const bool says_what_to_do = failed.message.find(';') != failed.message.npos;
  const char* const what = failed.fault == ErrorCode::link_failure ? "the code cannot be linked"
                                                                   : "the device refuses the code";
  core::fail(failed.fault, "{}: kernel '{}' of {}, {}{}", what, name_of(job.request.nest),
             where_is(job.request), failed.message,
             says_what_to_do ? "" : "; write the kernel without it");
}

/// @param entry  loses the parts for display
LoopCode code_of(std::shared_ptr<const CompiledLoop> loop, CacheEntry entry) {
  entry.source.clear();
  entry.ir.clear();
  entry.assembly.clear();
  return {std::move(loop), {}, std::make_shared<const CacheEntry>(std::move(entry))};
}

/// Whether the result has an error in the same line, or in generated code.
bool has_error_at(const CompileResult& result, const Diagnostic& place) {
  return std::ranges::any_of(result.diagnostics, [&](const Diagnostic& each) {
    const bool is_there =
        each.unit == place.unit && each.file == place.file && each.line == place.line;
    return is_error(each) && (is_there || each.file == generated_file || each.file.empty());
  });
}

/// The unit of the first error.
std::size_t failed_unit(const CompileResult& result) {
  const Diagnostic* const error = first_error(result.diagnostics);
  return error != nullptr ? error->unit : result.unit;
}

/// The result without messages about other units.
CompileResult result_of(const CompileResult& result, std::size_t unit) {
  CompileResult one;
  one.status = result.status;
  one.message = result.message;
  std::ranges::copy_if(result.diagnostics, std::back_inserter(one.diagnostics),
                       [&](const Diagnostic& each) { return std::cmp_equal(each.unit, unit); });
  return one;
}

/// The parameters of a single kernel; "adt_calc(...); res_calc(...)" for several.
std::string joined_signatures(const LoopNest& nest, const std::vector<std::string>& signatures) {
  if (nest.calls.size() == 1) return signatures.empty() ? "" : signatures[0];
  std::string all;
  for (std::size_t n = 0; n < std::min(nest.calls.size(), signatures.size()); ++n)
    all += fmt::format("{}{}({})", n > 0 ? "; " : "", nest.calls[n].name, signatures[n]);
  return all;
}

[[noreturn]] void refuse_adoption(const LoopRequest& request, const std::string& reason) {
  core::fail(
      ErrorCode::internal,
      "the code that another process made cannot be used: kernel '{}' of {}, {}; please report it",
      name_of(request.nest), where_is(request), reason);
}

LoopCode failure(ErrorCode code, const LoopRequest& request, const char* reason,
                 const char* what_to_do) {
  return {nullptr, Error(code, fmt::format("the code cannot be made: {}, {}; {}", where_is(request),
                                           reason, what_to_do))};
}

/// Makes the code of one loop: from disk if it is there and links, or by the compiler. Thread safe,
/// as its parts are. All loops of one maker share one deadline for waiting for other processes.
class LoopMaker {
 public:
  LoopMaker(const JitOptions& options, Target& target, DiskCache& disk, core::Log& log,
            std::vector<Constant> declared)
      : options_(options),
        target_(target),
        disk_(disk),
        log_(log),
        declared_(std::move(declared)),
        deadline_(disk.deadline()) {}

  /// Always code, with its entry.
  /// @throws Error that of compile_error for a rejected source; link_failure; kernel_access
  LoopCode make(LoopRequest request) const {
    for (;;) {
      LoopJob job = job_of(request, target_, declared_);
      if (auto code = find_on_disk(job)) return std::move(*code);
      const Claim claim = disk_.claim(job.key, name_of(request.nest), deadline_);
      if (claim.look_again) {
        if (auto code = find_on_disk(job)) return std::move(*code);
      }
      CompileResult result = run_compiler(job);
      if (add_missing_constant(request.nest, result)) continue;
      if (options_.reader != nullptr) read_kernels(request, result);
      return keep(job, std::move(result));
    }
  }

 private:
  /// None if the code is not there, or damaged. @throws Error device_compiler
  std::optional<LoopCode> find_on_disk(const LoopJob& job) const {
    auto entry = disk_.find(job.key, job.fields);
    if (!entry) return {};
    LinkResult linked;
    const auto loop = load_loop(target_, job, *entry, linked);
    if (loop == nullptr) {
      if (linked.is_whole) fail_to_load(job, linked);
      disk_.reject(job.key, linked.message);
      return {};
    }
    judge(job, entry->findings);
    loop->from_disk = true;
    return code_of(loop, std::move(*entry));
  }

  /// The emitted loop is then what was compiled.
  CompileResult run_compiler(LoopJob& job) const {
    const auto begin = core::Clock::now();
    CompileResult result = target_.compile(job.request, job.loop);
    if (options_.listeners != nullptr)
      core::report_span(*options_.listeners, "compile", name_of(job.request.nest), begin);
    return result;
  }

  /// Takes over what the compiler of a CPU says of the kernels, which knows more than that of a
  /// device. It does not see what is for devices only: so it explains errors that both find, and
  /// refuses by itself only what no kernel should contain.
  void read_kernels(const LoopRequest& request, CompileResult& result) const {
    const bool is_accepted = result.status == CompileStatus::ok;
    const bool compares = std::ranges::any_of(request.origins, &LoopOrigin::compare_access);
    if (request.nest.args.empty() || (is_accepted && !compares)) return;
    CompileResult read = options_.reader->read_kernels(request);
    const Diagnostic* const error = first_error(read.diagnostics);
    switch (read.status) {
      case CompileStatus::ok:
        result.signatures = std::move(read.signatures);
        result.findings = std::move(read.findings);
        std::ranges::move(read.diagnostics, std::back_inserter(result.diagnostics));
        break;
      case CompileStatus::wrong_signature:
        if (!is_accepted) result = std::move(read);
        break;
      case CompileStatus::rejected:
        if (error == nullptr) break;
        if (is_accepted ? is_source_rule(error->text) : has_error_at(result, *error))
          result = std::move(read);
        break;
      default:
        break;
    }
  }

  /// @param call  of the nest; any for the unit of a loop
  KernelContext context_of(const LoopJob& job, std::size_t call) const {
    std::vector<std::string> names;
    for (const Constant& constant : declared_)
      if (constant.variable == nullptr) names.push_back(constant.name);
    std::ranges::sort(names);
    const LoopRequest& request = job.request;
    const std::size_t known = call < request.origins.size() ? call : 0;
    return {request.origins[known], std::move(names), request.nest.calls[known].includes};
  }

  /// @throws Error kernel_access
  void judge(const LoopJob& job, const std::vector<AccessFinding>& findings) const {
    if (findings.empty()) return;
    std::vector<AccessMessage> messages;
    for (std::size_t n = 0; n < job.request.origins.size(); ++n) {
      const auto of_call = access_messages(findings, job.request, n, context_of(job, n));
      messages.insert(messages.end(), of_call.begin(), of_call.end());
    }
    if (const auto error = access_error(messages, options_.check_access)) throw *error;
    for (const AccessMessage& message : messages)
      if (!message.is_known) log_.warning_once(message.topic, message.text);
  }

  void warn(const LoopJob& job, const CompileResult& result) const {
    for (std::size_t n = 0; n < job.request.origins.size(); ++n) {
      const std::string warnings = compile_warnings(result_of(result, n), context_of(job, n));
      if (!warnings.empty())
        log_.warning_once("kernel " + job.request.nest.calls[n].name, warnings);
    }
  }

  /// A declared constant that the compiler does not find, because a macro of the source makes its
  /// name. @return whether there is one
  bool add_missing_constant(LoopNest& nest, const CompileResult& result) const {
    if (result.status != CompileStatus::rejected) return false;
    for (const Diagnostic& diagnostic : result.diagnostics) {
      const std::size_t call = diagnostic.unit;
      if (diagnostic.kind != Diagnostic::Kind::unknown_symbol || call >= nest.calls.size())
        continue;
      std::vector<ConstantShape>& known = nest.calls[call].constants;
      for (const Constant& constant : declared_) {
        if (constant.variable != nullptr || diagnostic.subject != constant.name) continue;
        const ConstantShape found = shape_of(constant);
        if (std::ranges::find(known, found) != known.end()) continue;
        known.push_back(found);
        std::ranges::sort(known);
        return true;
      }
    }
    return false;
  }

  /// Loads what the compiler has made, and stores it on disk.
  LoopCode keep(const LoopJob& job, CompileResult result) const {
    if (result.status != CompileStatus::ok) {
      const std::size_t failed = failed_unit(result);
      throw compile_error(result_of(result, failed), context_of(job, failed));
    }
    warn(job, result);
    CacheEntry entry{.key = job.fields,
                     .symbol = job.loop.symbol,
                     .signature = joined_signatures(job.request.nest, result.signatures),
                     .constants = constants_used(job.request.nest),
                     .loop = loops_of(job.request),
                     .simd = job.loop.simd,
                     .flops = result.flops,
                     .findings = std::move(result.findings),
                     .source = joined(job.loop.units),
                     .ir = std::move(result.ir),
                     .assembly = std::move(result.assembly),
                     .object = std::move(result.object),
                     .compile_seconds = result.seconds,
                     .created = std::time(nullptr)};
    LinkResult linked;
    const auto loaded = load_loop(target_, job, entry, linked);
    if (loaded == nullptr) fail_to_load(job, linked);
    loaded->compile_seconds = result.seconds;
    disk_.publish(job.key, entry);
    judge(job, entry.findings);
    return code_of(loaded, std::move(entry));
  }

  const JitOptions& options_;
  Target& target_;
  DiskCache& disk_;
  core::Log& log_;
  const std::vector<Constant> declared_;
  const DiskCache::Clock::time_point deadline_;
};

/// Loads the code of a block that `serialize` made in another process. The addresses of constants
/// are those of this process.
/// @throws Error link_failure; internal: the block has no code, or that of another loop
LoopCode adopt_code(const LoopRequest& request, std::span<const std::byte> block, Target& target,
                    std::span<const Constant> declared) {
  const ParsedEntry parsed = parse_entry(block);
  if (parsed.state != EntryState::good) refuse_adoption(request, parsed.reason);
  LoopRequest named = request;
  use_constants(named.nest, parsed.entry.constants, declared);
  const LoopJob job = job_of(named, target, declared);
  if (parsed.key != job.key) refuse_adoption(request, "it is of another loop, machine or library");
  LinkResult linked;
  const auto loop = load_loop(target, job, parsed.entry, linked);
  if (loop == nullptr) fail_to_load(job, linked);
  loop->received = true;
  return {loop, {}};
}

/// The exception that is being handled, as the result of a loop.
LoopCode failed_code(const LoopRequest& request) {
  try {
    throw;
  } catch (const Error& error) {
    return {nullptr, error};
  } catch (const std::bad_alloc& error) {
    return failure(ErrorCode::out_of_memory, request, error.what(),
                   "use more memory or fewer ranks on a machine");
  } catch (const std::exception& error) {
    return failure(ErrorCode::internal, request, error.what(), "please report it");
  }
}

/// An exception of `make` is the result of all.
std::vector<LoopCode> codes_or_failures(std::span<const LoopRequest> requests, const auto& make) {
  try {
    return make();
  } catch (const std::exception&) {
    std::vector<LoopCode> codes;
    for (const LoopRequest& request : requests) codes.push_back(failed_code(request));
    return codes;
  }
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

  /// @param make      the code of the i-th request; an exception is the result of this one
  /// @param finished  counts requests
  std::vector<LoopCode> make_each(std::span<const LoopRequest> requests, const auto& make,
                                  std::atomic<std::size_t>& finished) const {
    std::vector<LoopCode> codes(requests.size());
    std::vector<std::size_t> costs;
    for (const LoopRequest& request : requests) costs.push_back(request.nest.args.size());
    run_parallel(costs, threads(), [&](std::size_t i) {
      try {
        codes[i] = make(i);
      } catch (const std::exception&) {
        codes[i] = failed_code(requests[i]);
      }
      ++finished;
    });
    return codes;
  }
};

Jit::Jit(JitOptions options, core::Log& log)
    : Jit(options, log,
          [folder = options.plugin_dir, cpu = options.cpu, limit = options.limit, &log] {
            return load_remote_backend(folder, cpu, limit, log);
          }) {}

Jit::Jit(JitOptions options, core::Log& log, std::function<std::shared_ptr<Backend>()> load)
    : Jit(options, log, [options, &log, load = std::move(load)] {
        return make_cpu_target(load(), options, log);
      }) {}

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
  return codes_or_failures(requests, [&] {
    const LoopMaker maker(parts_->options, parts_->loaded(), parts_->opened(), parts_->log,
                          parts_->declared());
    std::atomic<std::size_t> finished = 0;
    const core::Progress shown(parts_->log, [&](double) {
      return fmt::format("compiling {} of {}", std::min(finished + 1, requests.size()),
                         core::counted(requests.size(), "kernel"));
    });
    const auto make_one = [&](std::size_t i) { return maker.make(requests[i]); };
    return parts_->make_each(requests, make_one, finished);
  });
}

std::vector<LoopCode> Jit::adopt(std::span<const LoopRequest> requests,
                                 std::span<const std::byte> code) {
  return codes_or_failures(requests, [&] {
    std::vector<std::span<const std::byte>> blocks;
    Reader in(code);
    for (std::size_t i = 0; i < requests.size(); ++i) blocks.push_back(in.block());
    Target& target = parts_->loaded();
    const std::vector<Constant> declared = parts_->declared();
    std::atomic<std::size_t> finished = 0;
    const auto adopt_one = [&](std::size_t i) {
      return adopt_code(requests[i], blocks[i], target, declared);
    };
    return parts_->make_each(requests, adopt_one, finished);
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
    return failed_compilation(CompileStatus::unavailable);
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

std::vector<std::byte> serialize(std::span<const LoopCode> codes) {
  Writer out;
  for (const LoopCode& code : codes)
    out.block(code.entry == nullptr ? std::vector<std::byte>{}
                                    : serialise(code.code->key, *code.entry));
  return std::move(out.bytes());
}

}  // namespace op2::jit
