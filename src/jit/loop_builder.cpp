// SPDX-License-Identifier: BSD-3-Clause
#include <jit/loop_builder.hpp>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <jit/access_report.hpp>
#include <jit/loop_key.hpp>

namespace op2::jit {
namespace {

std::int64_t seconds_since_1970() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

Product product_of(std::unique_ptr<const CompiledLoop> loop, CacheEntry entry) {
  entry.source.clear();
  entry.ir.clear();
  entry.assembly.clear();
  return {{std::move(loop), {}}, std::move(entry)};
}

/// The unit of the first error.
std::size_t failed_unit(const CompileResult& result) {
  for (const Diagnostic& each : result.diagnostics)
    if (each.severity == Diagnostic::Severity::error) return each.unit;
  return result.unit;
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

}  // namespace

Product LoopBuilder::build(const LoopRequest& request) const {
  LoopRequest wanted = request;
  for (;;) {
    Attempt attempt = build_once(wanted);
    if (attempt.product) return std::move(*attempt.product);
    auto& constants = wanted.nest.calls[attempt.missing->call].constants;
    constants.push_back(attempt.missing->constant);
    std::sort(constants.begin(), constants.end());
  }
}

LoopBuilder::Attempt LoopBuilder::build_once(const LoopRequest& request) const {
  const LoopJob job = prepare(request, target_, declared_);
  if (auto product = load(job)) return {std::move(product), {}};
  const Claim claim = disk_.claim(job.key, name_of(request.nest), deadline_);
  if (claim.look_again()) {
    if (auto product = load(job)) return {std::move(product), {}};
  }
  return compile(job);
}

std::optional<Product> LoopBuilder::load(const LoopJob& job) const {
  auto entry = disk_.find(job.key, job.fields);
  if (!entry) return {};
  LoadedLoop loaded = load_loop(target_, job, *entry);
  if (loaded.loop == nullptr) {
    if (loaded.is_whole) fail_to_load(job, loaded);
    disk_.reject(job.key, loaded.message);
    return {};
  }
  judge(job, entry->findings);
  loaded.loop->from_disk = true;
  return product_of(std::move(loaded.loop), std::move(*entry));
}

CompileResult LoopBuilder::run_compiler(const LoopJob& job, EmittedLoop& loop) const {
  const auto begin = core::Clock::now();
  CompileResult result = target_.compile(job.request, loop);
  if (options_.listeners != nullptr)
    core::report_span(*options_.listeners, "compile", name_of(job.request.nest), begin);
  return result;
}

/// @param call  of the nest; any for the unit of a loop
KernelContext LoopBuilder::context_of(const LoopJob& job, std::size_t call) const {
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
void LoopBuilder::judge(const LoopJob& job, const std::vector<AccessFinding>& findings) const {
  std::vector<AccessMessage> messages;
  for (std::size_t n = 0; n < job.request.origins.size(); ++n) {
    const auto of_call = access_messages(findings, job.request, n, context_of(job, n));
    messages.insert(messages.end(), of_call.begin(), of_call.end());
  }
  if (const auto error = access_error(messages, options_.check_access)) throw *error;
  for (const AccessMessage& message : messages)
    if (!message.is_known) log_.warning_once(message.topic, message.text);
}

void LoopBuilder::warn(const LoopJob& job, const CompileResult& result) const {
  for (std::size_t n = 0; n < job.request.origins.size(); ++n) {
    const std::string warnings = compile_warnings(result_of(result, n), context_of(job, n));
    if (!warnings.empty()) log_.warning_once("kernel " + job.request.nest.calls[n].name, warnings);
  }
}

/// A declared constant that the compiler does not find, because a macro of the source makes its
/// name.
std::optional<LoopBuilder::MissingConstant> LoopBuilder::missing_constant(
    const LoopJob& job, const CompileResult& result) const {
  if (result.status != CompileStatus::rejected) return {};
  for (const Diagnostic& diagnostic : result.diagnostics) {
    const std::size_t call = diagnostic.unit;
    const bool is_of_kernel = call < job.request.nest.calls.size();
    if (diagnostic.kind != Diagnostic::Kind::unknown_symbol || !is_of_kernel) continue;
    const auto& known = job.request.nest.calls[call].constants;
    for (const Constant& constant : declared_) {
      if (constant.variable != nullptr || diagnostic.subject != constant.name) continue;
      const ConstantShape found = shape_of(constant);
      if (std::find(known.begin(), known.end(), found) == known.end())
        return MissingConstant{call, found};
    }
  }
  return {};
}

LoopBuilder::Attempt LoopBuilder::compile(const LoopJob& job) const {
  EmittedLoop loop = job.loop;
  CompileResult result = run_compiler(job, loop);
  if (auto missing = missing_constant(job, result)) return {{}, std::move(missing)};
  if (result.status != CompileStatus::ok) {
    const std::size_t failed = failed_unit(result);
    throw compile_error(result_of(result, failed), context_of(job, failed));
  }
  warn(job, result);
  if (options_.compare_access) result.findings = options_.compare_access(job.request);
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
                   .created = seconds_since_1970()};
  LoadedLoop loaded = load_loop(target_, job, entry);
  if (loaded.loop == nullptr) fail_to_load(job, loaded);
  loaded.loop->compile_seconds = result.seconds;
  disk_.publish(job.key, entry);
  judge(job, entry.findings);
  return {product_of(std::move(loaded.loop), std::move(entry)), {}};
}

}  // namespace op2::jit
