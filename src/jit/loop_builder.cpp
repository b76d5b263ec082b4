// SPDX-License-Identifier: BSD-3-Clause
#include <jit/loop_builder.hpp>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include <jit/access_report.hpp>
#include <jit/emit_cpu.hpp>
#include <jit/emit_lanes.hpp>

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

}  // namespace

Product LoopBuilder::build(const LoopRequest& request) const {
  LoopRequest wanted = request;
  for (;;) {
    Attempt attempt = build_once(wanted);
    if (attempt.product) return std::move(*attempt.product);
    wanted.shape.constants.push_back(*attempt.missing);
    std::sort(wanted.shape.constants.begin(), wanted.shape.constants.end());
  }
}

LoopBuilder::Attempt LoopBuilder::build_once(const LoopRequest& request) const {
  const LoopJob job = prepare(request, backend_.target(), options_, declared_);
  if (auto product = load(job)) return {std::move(product), {}};
  const Claim claim = disk_.claim(job.key, request.shape.kernel, deadline_);
  if (claim.look_again()) {
    if (auto product = load(job)) return {std::move(product), {}};
  }
  return compile(job);
}

std::optional<Product> LoopBuilder::load(const LoopJob& job) const {
  auto entry = disk_.find(job.key, job.fields);
  if (!entry) return {};
  LinkedLoop linked = link_loop(backend_, job, *entry);
  if (linked.loop == nullptr) {
    disk_.reject(job.key, linked.message);
    return {};
  }
  judge(job, entry->findings);
  linked.loop->from_disk = true;
  return product_of(std::move(linked.loop), std::move(*entry));
}

CompileResult LoopBuilder::run_compiler(const LoopJob& job, const std::string& source,
                                        const Lanes& lanes, bool compare_access) const {
  const LoopShape& shape = job.request.shape;
  const CompileRequest request{.kernel = shape.kernel,
                               .source = source,
                               .symbol = range_symbol,
                               .blocks = lanes.width > 1 ? blocks_function : "",
                               .must_gain = options_.simd == core::SimdMode::where_it_pays,
                               .vector_math = options_.vector_math,
                               .args = shape.args,
                               .any_const = shape.any_const,
                               .includes = shape.includes,
                               .sanitizers = options_.sanitizers,
                               .compare_access = compare_access};
  const auto begin = core::Clock::now();
  CompileResult result = backend_.compile(request);
  if (options_.trace != nullptr)
    options_.trace->add("compile", shape.kernel, begin, core::Clock::now());
  return result;
}

CompiledText LoopBuilder::told_of(const LoopJob& job) const {
  std::vector<std::string> names;
  for (const Constant& constant : declared_)
    if (constant.variable == nullptr) names.push_back(constant.name);
  std::sort(names.begin(), names.end());
  return {*job.request.kernel, job.request.loop, job.request.call_site, std::move(names),
          job.request.shape.includes};
}

/// @throws Error kernel_access
void LoopBuilder::judge(const LoopJob& job, const std::vector<AccessFinding>& findings) const {
  if (findings.empty()) return;
  const auto messages = access_messages(findings, job.request, told_of(job));
  if (options_.check_access && !messages.empty()) throw access_error(messages);
  for (const AccessMessage& message : messages) log_.warning_once(message.topic, message.text);
}

/// A declared constant that the compiler misses: macros of the text have made its name.
std::optional<ConstantShape> LoopBuilder::missing_constant(const LoopJob& job,
                                                           const CompileResult& result) const {
  if (result.status != CompileStatus::rejected) return {};
  const auto& known = job.request.shape.constants;
  for (const Diagnostic& diagnostic : result.diagnostics) {
    if (diagnostic.kind != Diagnostic::Kind::unknown_symbol) continue;
    for (const Constant& constant : declared_) {
      if (constant.variable != nullptr) continue;
      const ConstantShape found = shape_of(constant);
      const bool is_missing = diagnostic.subject == constant.name &&
                              std::find(known.begin(), known.end(), found) == known.end();
      if (is_missing) return found;
    }
  }
  return {};
}

LoopBuilder::Attempt LoopBuilder::compile(const LoopJob& job) const {
  Lanes lanes = job.lanes;
  std::string source = job.source;
  CompileResult result = run_compiler(job, source, lanes, job.request.compare_access);
  if (result.status == CompileStatus::ok && !result.not_vectorised.empty()) {
    lanes = {1, result.not_vectorised};
    source = emit_cpu(job.request.shape, lanes);
    const CompileResult first = std::move(result);
    result = run_compiler(job, source, lanes, false);
    result.seconds += first.seconds;
    result.findings = first.findings;
  }
  if (auto missing = missing_constant(job, result)) return {{}, std::move(missing)};
  const CompiledText text = told_of(job);
  if (result.status != CompileStatus::ok) throw compile_error(result, text);
  if (const std::string warnings = compile_warnings(result, text); !warnings.empty())
    log_.warning_once("kernel " + job.request.shape.kernel, warnings);
  CacheEntry entry{.key = job.fields,
                   .symbol = range_symbol,
                   .signature = std::move(result.signature),
                   .loop = job.request.loop,
                   .lanes = words_of(lanes),
                   .findings = std::move(result.findings),
                   .source = std::move(source),
                   .ir = std::move(result.ir),
                   .assembly = std::move(result.assembly),
                   .object = std::move(result.object),
                   .compile_seconds = result.seconds,
                   .created = seconds_since_1970()};
  LinkedLoop linked = link_loop(backend_, job, entry);
  if (linked.loop == nullptr) fail_to_link(job, linked.message);
  linked.loop->compile_seconds = result.seconds;
  disk_.publish(job.key, entry);
  judge(job, entry.findings);
  return {product_of(std::move(linked.loop), std::move(entry)), {}};
}

}  // namespace op2::jit
