// SPDX-License-Identifier: BSD-3-Clause
#include <jit/loop_job.hpp>

#include <algorithm>
#include <utility>

#include <core/error.hpp>
#include <jit/cache_key.hpp>
#include <jit/emit_cpu.hpp>
#include <jit/loop_key.hpp>

namespace op2::jit {
namespace {

std::vector<LinkSymbol> symbols_of(const LoopShape& shape, std::span<const Constant> declared) {
  std::vector<LinkSymbol> symbols;
  for (const ConstantShape& wanted : shape.constants) {
    const auto found =
        std::find_if(declared.begin(), declared.end(),
                     [&](const Constant& constant) { return shape_of(constant) == wanted; });
    core::ensure(found != declared.end(), "a constant of a kernel is not declared");
    symbols.push_back({constant_symbol(wanted.name), found->address});
  }
  return symbols;
}

}  // namespace

Lanes lanes_for(const LoopShape& shape, const TargetInfo& target, const JitOptions& options) {
  if (options.simd == core::SimdMode::off) return {1, "OP2_DISABLE=simd"};
  return lanes_of(shape, target.vector_bytes);
}

LoopJob prepare(const LoopRequest& request, const TargetInfo& target, const JitOptions& options,
                std::span<const Constant> declared) {
  const Lanes lanes = lanes_for(request.shape, target, options);
  std::string source = emit_cpu(request.shape, lanes);
  // Code that was made without a comparison has no findings: it is none of those that ask for them.
  const std::string flags = words_of(options) + (request.compare_access ? "access=compared " : "");
  KeyFields fields = fields_of(request.shape, source, target, flags);
  const Key key = make_key(fields);
  return {request,           lanes, std::move(source),
          std::move(fields), key,   symbols_of(request.shape, declared)};
}

LinkedLoop link_loop(Backend& backend, const LoopJob& job, const CacheEntry& entry) {
  LinkResult linked = backend.link(entry.object, range_symbol, job.symbols);
  if (!linked.code) return {nullptr, std::move(linked.message)};
  auto loop = std::make_unique<CompiledLoop>();
  loop->range = reinterpret_cast<core::RangeFunction>(linked.code->entry());
  loop->key = job.key;
  loop->symbol = range_symbol;
  loop->signature = entry.signature;
  loop->lanes = entry.lanes;
  loop->linked = std::move(linked.code);
  return {std::move(loop), {}};
}

void fail_to_link(const LoopJob& job, const std::string& message) {
  core::fail(ErrorCode::link_failure,
             "loop '{}' ({}): the code of kernel '{}' cannot be linked: {}", job.request.loop,
             job.request.call_site, job.request.shape.kernel, message);
}

}  // namespace op2::jit
