// SPDX-License-Identifier: BSD-3-Clause
#include <jit/loop_builder.hpp>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <core/error.hpp>
#include <jit/cache_key.hpp>
#include <jit/diagnostics.hpp>
#include <jit/emit_cpu.hpp>
#include <jit/loop_key.hpp>

namespace op2::jit {
namespace {

std::string words_of(const JitOptions& options) {
  std::string words;
  if (options.sanitize_address) words += "sanitize=address ";
  if (options.sanitize_undefined) words += "sanitize=undefined ";
  if (options.sanitize_thread) words += "sanitize=thread ";
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
  KeyFields fields = fields_of(request.shape, source, backend_.target(), words_of(options_));
  const Key key = make_key(fields);
  return {request, std::move(source), std::move(fields), key, symbols_of(request.shape, declared_)};
}

std::unique_ptr<const CompiledLoop> LoopBuilder::build(const LoopRequest& request) const {
  const Job job = prepare(request);
  if (auto loop = load(job)) return loop;
  const Claim claim = disk_.claim(job.key, request.shape.kernel, deadline_);
  if (claim.look_again()) {
    if (auto loop = load(job)) return loop;
  }
  return compile(job);
}

std::unique_ptr<CompiledLoop> LoopBuilder::load(const Job& job) const {
  const auto entry = disk_.find(job.key, job.fields);
  if (!entry) return nullptr;
  LinkResult linked = backend_.link(entry->object, entry->symbol, job.symbols);
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
                               .sanitize_address = options_.sanitize_address,
                               .sanitize_undefined = options_.sanitize_undefined,
                               .sanitize_thread = options_.sanitize_thread};
  const auto begin = core::Clock::now();
  CompileResult result = backend_.compile(request);
  if (options_.trace != nullptr)
    options_.trace->add("compile", shape.kernel, begin, core::Clock::now());
  if (result.status == CompileStatus::ok) return result;
  std::vector<std::string> names;
  for (const Constant& constant : declared_) names.push_back(constant.name);
  std::sort(names.begin(), names.end());
  throw compile_error(result,
                      {*job.request.kernel, job.request.loop, job.request.call_site, names});
}

std::unique_ptr<CompiledLoop> LoopBuilder::compile(const Job& job) const {
  CompileResult result = run_compiler(job);
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
  return loop;
}

}  // namespace op2::jit
