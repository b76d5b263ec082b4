// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cuda/cuda_target.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <core/error.hpp>
#include <core/clock.hpp>
#include <jit/source_rules.hpp>
#include <jit/target/cuda/device_headers.hpp>
#include <jit/target/cuda/emit_cuda.hpp>
#include <jit/target/cuda/kernel_scope.hpp>
#include <jit/target/cuda/nvrtc_messages.hpp>
#include <jit/target/cuda/signature_check.hpp>
#include <jit/target/cuda/source_check.hpp>
#include <jit/target/cuda/source_faults.hpp>

namespace op2::jit {
namespace {

/// Warnings that compilers for CPUs do not give by default: variables and functions without use.
constexpr const char* quiet = "--diag-suppress=177,550";

/// Denormal numbers, quotients and square roots as IEEE 754 has them, also if that is the default.
constexpr const char* as_ieee[] = {"--ftz=false", "--prec-div=true", "--prec-sqrt=true"};

std::vector<gpu::SourceHeader> headers_of(const LoopNest& nest) {
  std::vector<gpu::SourceHeader> headers;
  for (const IncludedFile& header : device_headers()) headers.push_back({header.name, header.text});
  for (const IncludedFile& file : scoped_files(nest)) headers.push_back({file.name, file.text});
  return headers;
}

/// Errors of the assembler have no place. They are then about inline assembly, if there is any.
void blame_assembly(std::vector<Diagnostic>& messages) {
  const auto is_other = [](const Diagnostic& each) {
    return each.severity == Diagnostic::Severity::error &&
           (!each.file.empty() || each.kind != Diagnostic::Kind::other);
  };
  if (std::ranges::any_of(messages, is_other)) return;
  std::ranges::stable_partition(messages,
                                [](const Diagnostic& each) { return each.text == has_assembly; });
  for (Diagnostic& each : messages)
    if (each.text == has_assembly) each.severity = Diagnostic::Severity::error;
}

/// The result of a rejected source.
void explain(CompileResult& result, const LoopNest& nest, const std::string& log) {
  result.status = CompileStatus::rejected;
  const auto fault = kernel_fault(nest, result.diagnostics);
  if (fault) {
    result.status = CompileStatus::wrong_signature;
    result.message = fault->fault.message;
    result.unit = fault->call;
    result.diagnostics.clear();
    if (fault->fault.place) result.diagnostics.push_back(*fault->fault.place);
    return;
  }
  blame_assembly(result.diagnostics);
  add_notes(result.diagnostics, nest);
  if (result.diagnostics.empty()) result.message = log;
}

/// What ptxas says of registers and memory is kept behind the code, in comments.
std::string with_comments(std::string ptx, const std::string& lines) {
  std::string_view rest = lines;
  while (!rest.empty()) {
    const auto end = std::min(rest.find('\n'), rest.size());
    ptx += fmt::format("// {}\n", rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return ptx;
}

std::vector<std::byte> bytes_with_zero(const std::string& text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.c_str());
  return {begin, begin + text.size() + 1};
}

int architecture_named(const std::string& name) {
  int number = 0;
  const char* end = name.c_str() + name.size();
  const bool named =
      name.starts_with("sm_") && std::from_chars(name.c_str() + 3, end, number).ptr == end;
  if (!named)
    core::fail(
        ErrorCode::bad_option,
        "the architecture is unknown: option OP2_JIT_CPU is '{}'; without a device, name one, "
        "for example sm_90",
        name);
  return number;
}

}  // namespace

TargetInfo CudaTarget::info() const {
  return {.triple = "nvptx64",
          .cpu = options_.architecture.name(),
          .features = features_of_headers(),
          .compiler = fmt::format("NVRTC {} {}", nvrtc_->version(), nvrtc_->build()),
          .vector_math = {}};
}

std::string CudaTarget::options() const {
  std::string flags;
  if (options_.reproducible)
    flags += "reproducible ";
  else if (options_.increments != core::Increments::rows)
    flags += options_.increments == core::Increments::pull ? "inc=pull " : "inc=auto ";
  return fmt::format("{}{} ", flags, fmt::join(compiler_options(), " "));
}

std::vector<std::string> CudaTarget::compiler_options() const {
  std::vector<std::string> list = {"--std=c++20",
                                   "--gpu-architecture=" + options_.architecture.name(),
                                   "-default-device",
                                   options_.contract ? "--fmad=true" : "--fmad=false",
                                   quiet,
                                   "--ptxas-options=-v"};
  if (nvrtc_->is_at_least(12, 4)) list.emplace_back("--minimal");   // without textures and the like
  if (nvrtc_->is_at_least(12, 9)) list.emplace_back("--no-cache");  // the library has one
  if (options_.reproducible) list.insert(list.end(), std::begin(as_ieee), std::end(as_ieee));
  return list;
}

EmittedLoop CudaTarget::emit(const LoopNest& nest) const {
  return {{emit_cuda(nest, options_.increments, options_.reproducible)},
          cuda_entry(nest, options_.increments, options_.reproducible),
          {}};
}

CompileResult CudaTarget::compile(const LoopRequest& request, EmittedLoop& loop) {
  const auto begin = core::Clock::now();
  CompileResult result;
  result.diagnostics = macro_faults(request.nest);
  const std::vector<Diagnostic> checks = check_sources(request.nest);
  result.diagnostics.insert(result.diagnostics.end(), checks.begin(), checks.end());
  if (std::ranges::any_of(result.diagnostics, [](const Diagnostic& each) {
        return each.severity == Diagnostic::Severity::error;
      })) {
    result.status = CompileStatus::rejected;
    return result;
  }
  gpu::Compiled compiled =
      nvrtc_->compile(loop.units[0], "op2_loop.cu", headers_of(request.nest), compiler_options());
  result.diagnostics = nvrtc_messages(compiled.log);
  result.diagnostics.insert(result.diagnostics.end(), checks.begin(), checks.end());
  add_source_lines(result.diagnostics, request.nest);
  if (compiled.ok) {
    result.status = CompileStatus::ok;
    result.object = options_.architecture.is_virtual ? bytes_with_zero(compiled.ptx)
                                                     : std::move(compiled.cubin);
    result.assembly = with_comments(std::move(compiled.ptx), ptxas_lines(compiled.log));
    for (const KernelCall& call : request.nest.calls)
      result.signatures.push_back(signature_of(call));
  } else {
    explain(result, request.nest, compiled.log);
  }
  result.seconds = core::seconds_since(begin);
  return result;
}

LinkResult CudaTarget::load(const std::vector<std::byte>& binary, const std::string& symbol,
                            const std::vector<LinkSymbol>& symbols) {
  if (device_ == nullptr) return {nullptr, "there is no device to load it on"};
  return load_cuda_loop(*device_, binary, symbol, symbols);
}

std::shared_ptr<Target> make_cuda_target(gpu::Device* device,
                                         std::shared_ptr<const gpu::Nvrtc> nvrtc,
                                         const JitOptions& options) {
  const int number = device != nullptr ? device->architecture() : architecture_named(options.cpu);
  const CudaCodeOptions code{.architecture = nvrtc->architecture_for(number),
                             .contract = options.contract,
                             .increments = options.increments,
                             .reproducible = options.reproducible};
  return std::make_shared<CudaTarget>(device, std::move(nvrtc), code);
}

}  // namespace op2::jit
