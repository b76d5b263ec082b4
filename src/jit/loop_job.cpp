// SPDX-License-Identifier: BSD-3-Clause
#include <jit/loop_job.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <core/error.hpp>
#include <jit/cache_key.hpp>
#include <jit/constant_symbols.hpp>
#include <jit/loop_key.hpp>

namespace op2::jit {
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

}  // namespace

LoopJob prepare(const LoopRequest& request, const Target& target,
                std::span<const Constant> declared) {
  core::ensure(request.origins.size() == request.nest.calls.size(),
               "each kernel call of a nest comes from a loop");
  EmittedLoop loop = target.emit(request.nest);
  KeyFields fields = fields_of(request.nest, loop.units, target, flags_of(request));
  const Key key = make_key(fields);
  return {request, std::move(loop), std::move(fields), key, symbols_of(request.nest, declared)};
}

LoadedLoop load_loop(Target& target, const LoopJob& job, const CacheEntry& entry) {
  LinkResult linked = target.load(entry.object, job.loop.symbol, job.symbols);
  if (!linked.code) return {nullptr, std::move(linked.message), linked.fault, linked.is_whole};
  auto loop = std::make_unique<CompiledLoop>();
  loop->target = entry.key.target;
  loop->entry = linked.code->entry();
  loop->key = job.key;
  loop->symbol = job.loop.symbol;
  loop->signature = entry.signature;
  loop->simd = entry.simd;
  loop->flops = entry.flops;
  loop->linked = std::move(linked.code);
  loop->published = target.publish(job.request, entry.object, *loop);
  return {std::move(loop), ""};
}

void fail_to_load(const LoopJob& job, const LoadedLoop& failed) {
  const bool says_what_to_do = failed.message.find(';') != failed.message.npos;
  const char* const what = failed.fault == ErrorCode::link_failure ? "the code cannot be linked"
                                                                   : "the device refuses the code";
  core::fail(failed.fault, "{}: kernel '{}' of {}, {}{}", what, name_of(job.request.nest),
             where_is(job.request), failed.message,
             says_what_to_do ? "" : "; write the kernel without it");
}

}  // namespace op2::jit
