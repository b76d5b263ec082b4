// SPDX-License-Identifier: BSD-3-Clause
#include <jit/loop_maker.hpp>

#include <algorithm>
#include <ctime>
#include <exception>
#include <iterator>
#include <new>

#include <fmt/format.h>

#include <core/clock.hpp>
#include <core/error.hpp>
#include <core/measurements/listener.hpp>
#include <jit/access_report.hpp>
#include <jit/byte_stream.hpp>
#include <jit/cache_entry.hpp>
#include <jit/loop_key.hpp>
#include <jit/loop_nest.hpp>
#include <jit/source_rules.hpp>

namespace op2::jit {

struct LoopJob {
  const LoopRequest& request;
  EmittedLoop loop;
  KeyFields fields;
  Key key;
  std::vector<LinkSymbol> symbols;  ///< the constants of the nest
};

namespace {

std::vector<LinkSymbol> symbols_of(const LoopNest& nest, std::span<const Constant> declared) {
  std::vector<LinkSymbol> symbols;
  for (const ConstantShape& wanted : constants_of(nest)) {
    const auto found =
        std::find_if(declared.begin(), declared.end(),
                     [&](const Constant& constant) { return shape_of(constant) == wanted; });
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

/// Null if there is none.
const Diagnostic* first_error(const CompileResult& result) {
  const auto found = std::ranges::find_if(result.diagnostics, is_error);
  return found == result.diagnostics.end() ? nullptr : &*found;
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
  const Diagnostic* const error = first_error(result);
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

}  // namespace

LoopCode LoopMaker::make(LoopRequest request) const {
  for (;;) {
    const LoopJob job = job_of(request, target_, declared_);
    if (auto code = find_on_disk(job)) return std::move(*code);
    const Claim claim = disk_.claim(job.key, name_of(request.nest), deadline_);
    if (claim.look_again()) {
      if (auto code = find_on_disk(job)) return std::move(*code);
    }
    EmittedLoop loop = job.loop;
    CompileResult result = run_compiler(job, loop);
    if (add_missing_constant(request.nest, result)) continue;
    if (options_.reader != nullptr) read_kernels(request, result);
    return keep(job, loop, std::move(result));
  }
}

/// None if the code is not there, or damaged. @throws Error device_compiler
std::optional<LoopCode> LoopMaker::find_on_disk(const LoopJob& job) const {
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

CompileResult LoopMaker::run_compiler(const LoopJob& job, EmittedLoop& loop) const {
  const auto begin = core::Clock::now();
  CompileResult result = target_.compile(job.request, loop);
  if (options_.listeners != nullptr)
    core::report_span(*options_.listeners, "compile", name_of(job.request.nest), begin);
  return result;
}

/// Takes over what the compiler of a CPU says of the kernels, which knows more than that of a
/// device. It does not see what is for devices only: so it explains errors that both find, and
/// refuses by itself only what no kernel should contain.
void LoopMaker::read_kernels(const LoopRequest& request, CompileResult& result) const {
  const bool is_accepted = result.status == CompileStatus::ok;
  const bool compares = std::ranges::any_of(request.origins, &LoopOrigin::compare_access);
  if (request.nest.args.empty() || (is_accepted && !compares)) return;
  CompileResult read = options_.reader->read_kernels(request);
  const Diagnostic* const error = first_error(read);
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
KernelContext LoopMaker::context_of(const LoopJob& job, std::size_t call) const {
  std::vector<std::string> names;
  for (const Constant& constant : declared_)
    if (constant.variable == nullptr) names.push_back(constant.name);
  std::sort(names.begin(), names.end());
  const LoopRequest& request = job.request;
  const LoopOrigin& origin = request.origins[call < request.origins.size() ? call : 0];
  return {*origin.kernel, origin.loop, origin.call_site, std::move(names),
          request.nest.calls[call < request.origins.size() ? call : 0].includes};
}

/// @throws Error kernel_access
void LoopMaker::judge(const LoopJob& job, const std::vector<AccessFinding>& findings) const {
  std::vector<AccessMessage> messages;
  for (std::size_t n = 0; n < job.request.origins.size(); ++n) {
    const auto of_call = access_messages(findings, job.request, n, context_of(job, n));
    messages.insert(messages.end(), of_call.begin(), of_call.end());
  }
  if (const auto error = access_error(messages, options_.check_access)) throw *error;
  for (const AccessMessage& message : messages)
    if (!message.is_known) log_.warning_once(message.topic, message.text);
}

void LoopMaker::warn(const LoopJob& job, const CompileResult& result) const {
  for (std::size_t n = 0; n < job.request.origins.size(); ++n) {
    const std::string warnings = compile_warnings(result_of(result, n), context_of(job, n));
    if (!warnings.empty()) log_.warning_once("kernel " + job.request.nest.calls[n].name, warnings);
  }
}

/// A declared constant that the compiler does not find, because a macro of the source makes its
/// name. @return whether there is one
bool LoopMaker::add_missing_constant(LoopNest& nest, const CompileResult& result) const {
  if (result.status != CompileStatus::rejected) return false;
  for (const Diagnostic& diagnostic : result.diagnostics) {
    const std::size_t call = diagnostic.unit;
    if (diagnostic.kind != Diagnostic::Kind::unknown_symbol || call >= nest.calls.size()) continue;
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
LoopCode LoopMaker::keep(const LoopJob& job, EmittedLoop& loop, CompileResult result) const {
  if (result.status != CompileStatus::ok) {
    const std::size_t failed = failed_unit(result);
    throw compile_error(result_of(result, failed), context_of(job, failed));
  }
  warn(job, result);
  CacheEntry entry{.key = job.fields,
                   .symbol = loop.symbol,
                   .signature = joined_signatures(job.request.nest, result.signatures),
                   .constants = constants_used(job.request.nest),
                   .loop = loops_of(job.request),
                   .simd = std::move(loop.simd),
                   .flops = result.flops,
                   .findings = std::move(result.findings),
                   .source = joined(loop.units),
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

std::vector<std::byte> serialize(std::span<const LoopCode> codes) {
  Writer out;
  for (const LoopCode& code : codes)
    out.block(code.entry == nullptr ? std::vector<std::byte>{}
                                    : serialise(code.code->key, *code.entry));
  return std::move(out.bytes());
}

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

}  // namespace op2::jit
