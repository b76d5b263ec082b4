// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cpu/cpu_target.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <core/error.hpp>
#include <jit/debugger_symbols.hpp>
#include <jit/target/cpu/emit_cpu.hpp>
#include <jit/target/cpu/emit_simd.hpp>

namespace op2::jit {
namespace {

std::string key_flags(const Sanitizers& sanitizers) {
  return fmt::format("{}{}{}", sanitizers.address ? "sanitize=address " : "",
                     sanitizers.undefined ? "sanitize=undefined " : "",
                     sanitizers.thread ? "sanitize=thread " : "");
}

/// The names of the loops, each once: "flow_update"; of many, the first ones.
std::string names_of(const LoopRequest& request) {
  constexpr std::size_t most = 3;
  std::vector<std::string> names;
  for (const LoopOrigin& origin : request.origins)
    if (std::ranges::find(names, origin.loop) == names.end()) names.push_back(origin.loop);
  std::string text;
  for (std::size_t k = 0; k < std::min(names.size(), most); ++k)
    text += (k == 0 ? "" : "_") + names[k];
  return text + (names.size() > most ? "_and_others" : "");
}

/// What is compiled as unit `n` of the request; that of a kernel serves other loops too.
CompileUnit unit_of(const LoopRequest& request, std::size_t n, const std::string& source) {
  CompileUnit unit;
  unit.source = source;
  unit.compare_access = false;
  if (n >= request.nest.calls.size()) return unit;
  const KernelCall& call = request.nest.calls[n];
  unit.kernel = call.name;
  unit.parameters = parameters_of(request.nest, n);
  unit.any_const = call.any_const;
  unit.includes = call.includes;
  unit.compare_access = request.origins[n].compare_access;
  return unit;
}

}  // namespace

std::string CpuTarget::options() const {
  constexpr const char* simd[] = {"", "simd=on ", "simd=off "};
  std::string flags = key_flags(options_.sanitizers) + simd[static_cast<int>(options_.simd)];
  if (!options_.contract) flags += "contract=off ";
  if (options_.reproducible)
    flags += fmt::format("reproducible math={} ", backend_->consistent_math());
  if (options_.vector_math) flags += "math=vector " + info().vector_math;
  return flags;
}

EmittedLoop CpuTarget::emit(const LoopNest& nest) const {
  SimdChoice simd = options_.simd == core::SimdMode::off
                        ? SimdChoice{.reason = ScalarReason::disabled}
                        : simd_choice(nest.args, info().vector_bytes);
  std::vector<std::string> units = emit_cpu(nest, simd, form());
  return {std::move(units), range_symbol, std::move(simd)};
}

CompileResult CpuTarget::compile(const LoopRequest& request, EmittedLoop& loop) {
  CompileResult result = run_compiler(request, loop);
  if (result.status != CompileStatus::ok || result.scalar.reason == ScalarReason::none)
    return result;
  loop.simd = result.scalar;
  loop.units = emit_cpu(request.nest, loop.simd, form());
  const double first_seconds = result.seconds;
  result = run_compiler(request, loop);
  result.seconds += first_seconds;
  return result;
}

CompileResult CpuTarget::run_compiler(const LoopRequest& request, const EmittedLoop& loop) const {
  CompileRequest wanted{.symbol = loop.symbol,
                        .blocks = loop.simd.vectorised() ? blocks_function : "",
                        .width = loop.simd.width,
                        .must_gain = options_.simd == core::SimdMode::where_it_pays,
                        .traps = std::ranges::any_of(request.nest.calls, &KernelCall::traps),
                        .vector_math = options_.vector_math,
                        .consistent_math = options_.reproducible,
                        .sanitizers = options_.sanitizers};
  for (std::size_t n = 0; n < loop.units.size(); ++n)
    wanted.units.push_back(unit_of(request, n, loop.units[n]));
  return backend_->compile(wanted);
}

CompileResult CpuTarget::read_kernels(const LoopRequest& request) {
  CompileRequest wanted{.sanitizers = options_.sanitizers, .only_facts = true};
  for (std::size_t n = 0; n < request.nest.calls.size(); ++n)
    wanted.units.push_back(unit_of(request, n, emit_kernel(request.nest, n, options_.contract)));
  return backend_->compile(wanted);
}

LinkResult CpuTarget::load(const std::vector<std::byte>& binary, const std::string& symbol,
                           const std::vector<LinkSymbol>& symbols) {
  return backend_->link(binary, symbol, symbols);
}

std::shared_ptr<void> CpuTarget::publish(const LoopRequest& request,
                                         const std::vector<std::byte>& binary,
                                         const CompiledLoop& loop) {
  if (!options_.gdb_symbols && !options_.perf_map) return nullptr;
  const auto code = code_symbols(binary, loop.symbol, reinterpret_cast<std::uintptr_t>(loop.entry),
                                 symbol_of_loop(names_of(request)));
  if (!code) return nullptr;
  if (options_.perf_map) register_with_perf(*code, perf_map_path());
  return options_.gdb_symbols ? register_with_gdb(*code) : nullptr;
}

std::shared_ptr<Target> make_cpu_target(std::shared_ptr<Backend> backend, const JitOptions& options,
                                        core::Log& log) {
  if (options.vector_math && backend->target().vector_math.empty())
    log.warning_once("vector mathematics",
                     "OP2_VECTOR_MATH=on: this machine has no vector versions of mathematical "
                     "functions (libmvec.so.1), so they are called one by one");
  return std::make_shared<CpuTarget>(std::move(backend), options);
}

core::RangeFunction range_of(const CompiledLoop& code) {
  core::ensure(code.target == cpu_target_name, "code of another target is run on the CPU");
  return reinterpret_cast<core::RangeFunction>(code.entry);
}

}  // namespace op2::jit
