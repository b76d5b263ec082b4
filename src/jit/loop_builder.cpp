// SPDX-License-Identifier: BSD-3-Clause
#include <jit/loop_builder.hpp>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <core/error.hpp>
#include <jit/cache_key.hpp>
#include <jit/emit_cpu.hpp>
#include <jit/loop_key.hpp>

namespace op2::jit {
namespace {

std::string words_of(const Sanitizers& sanitizers) {
  std::string words;
  if (sanitizers.address) words += "sanitize=address ";
  if (sanitizers.undefined) words += "sanitize=undefined ";
  if (sanitizers.thread) words += "sanitize=thread ";
  return words;
}

std::vector<LinkSymbol> symbols_of(const LoopShape& shape, std::span<const Constant> declared) {
  std::vector<LinkSymbol> symbols;
  for (const ConstantShape& wanted : shape.constants) {
    const auto found =
        std::find_if(declared.begin(), declared.end(),
                     [&](const Constant& constant) { return constant.name == wanted.name; });
    core::ensure(found != declared.end(), "a constant of a kernel is not declared");
    symbols.push_back({constant_symbol(wanted.name), found->address});
  }
  return symbols;
}

std::int64_t seconds_since_1970() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

}  // namespace

struct LoopBuilder::Job {
  const LoopRequest& request;
  std::string source;
  KeyFields fields;
  Key key;
  std::vector<LinkSymbol> symbols;
};

LoopBuilder::Job LoopBuilder::prepare(const LoopRequest& request) const {
  std::string source = emit_cpu(request.shape);
  KeyFields fields = fields_of(request.shape, source, backend_.target(), words_of(options_.sanitizers));
  const Key key = make_key(fields);
  return {request, std::move(source), std::move(fields), key, symbols_of(request.shape, declared_)};
}

std::unique_ptr<const CompiledLoop> LoopBuilder::build(const LoopRequest& request) const {
  LoopRequest wanted = request;
  for (;;) {
    Attempt attempt = build_once(wanted);
    if (attempt.loop) return std::move(attempt.loop);
    wanted.shape.constants.push_back(*attempt.missing);
    std::sort(wanted.shape.constants.begin(), wanted.shape.constants.end());
  }
}

LoopBuilder::Attempt LoopBuilder::build_once(const LoopRequest& request) const {
  const Job job = prepare(request);
  if (auto loop = load(job)) return {std::move(loop), {}};
  const Claim claim = disk_.claim(job.key, request.shape.kernel, deadline_);
  if (claim.look_again()) {
    if (auto loop = load(job)) return {std::move(loop), {}};
  }
  return compile(job);
}

std::unique_ptr<CompiledLoop> LoopBuilder::load(const Job& job) const {
  const auto entry = disk_.find(job.key, job.fields);
  if (!entry) return nullptr;
  LinkResult linked = backend_.link(entry->object, range_symbol, job.symbols);
  if (!linked.code) {
    disk_.reject(job.key, linked.message);
    return nullptr;
  }
  auto loop = std::make_unique<CompiledLoop>();
  loop->range = reinterpret_cast<core::RangeFunction>(linked.code->entry());
  loop->key = job.key;
  loop->signature = entry->signature;
  loop->from_disk = true;
  loop->linked = std::move(linked.code);
  return loop;
}

CompileResult LoopBuilder::run_compiler(const Job& job) const {
  const LoopShape& shape = job.request.shape;
  const CompileRequest request{.kernel = shape.kernel,
                               .source = job.source,
                               .symbol = range_symbol,
                               .args = shape.args,
                               .includes = shape.includes,
                               .sanitizers = options_.sanitizers};
  const auto begin = core::Clock::now();
  CompileResult result = backend_.compile(request);
  if (options_.trace != nullptr)
    options_.trace->add("compile", shape.kernel, begin, core::Clock::now());
  return result;
}

CompiledText LoopBuilder::told_of(const Job& job) const {
  std::vector<std::string> names;
  for (const Constant& constant : declared_) names.push_back(constant.name);
  std::sort(names.begin(), names.end());
  return {*job.request.kernel, job.request.loop, job.request.call_site, std::move(names),
          job.request.shape.includes};
}

/// A declared constant that the compiler misses: macros of the text have made its name.
std::optional<ConstantShape> LoopBuilder::missing_constant(const Job& job,
                                                           const CompileResult& result) const {
  if (result.status != CompileStatus::rejected) return {};
  const auto& known = job.request.shape.constants;
  for (const Diagnostic& diagnostic : result.diagnostics) {
    if (diagnostic.kind != Diagnostic::Kind::unknown_symbol) continue;
    for (const Constant& constant : declared_) {
      const ConstantShape found{constant.name, constant.type, constant.dim};
      const bool is_missing = diagnostic.subject == constant.name &&
                              std::find(known.begin(), known.end(), found) == known.end();
      if (is_missing) return found;
    }
  }
  return {};
}

LoopBuilder::Attempt LoopBuilder::compile(const Job& job) const {
  CompileResult result = run_compiler(job);
  if (auto missing = missing_constant(job, result)) return {nullptr, std::move(missing)};
  const CompiledText text = told_of(job);
  if (result.status != CompileStatus::ok) throw compile_error(result, text);
  if (const std::string warnings = compile_warnings(result, text); !warnings.empty())
    log_.warning_once("kernel " + job.request.shape.kernel, warnings);
  LinkResult linked = backend_.link(result.object, range_symbol, job.symbols);
  if (!linked.code) {
    core::fail(ErrorCode::link_failure,
               "loop '{}' ({}): the code of kernel '{}' cannot be linked: {}", job.request.loop,
               job.request.call_site, job.request.shape.kernel, linked.message);
  }
  auto loop = std::make_unique<CompiledLoop>();
  loop->range = reinterpret_cast<core::RangeFunction>(linked.code->entry());
  loop->key = job.key;
  loop->signature = result.signature;
  loop->compile_seconds = result.seconds;
  loop->linked = std::move(linked.code);
  disk_.publish(job.key, {.key = job.fields,
                          .symbol = range_symbol,
                          .signature = std::move(result.signature),
                          .loop = job.request.loop,
                          .source = job.source,
                          .ir = std::move(result.ir),
                          .assembly = std::move(result.assembly),
                          .object = std::move(result.object),
                          .compile_seconds = result.seconds,
                          .created = seconds_since_1970()});
  return {std::move(loop), {}};
}

}  // namespace op2::jit
