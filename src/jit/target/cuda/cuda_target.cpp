// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cuda/cuda_target.hpp>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <core/clock.hpp>
#include <core/error.hpp>
#include <core/text.hpp>
#include <jit/backend.hpp>
#include <jit/diagnostics.hpp>
#include <jit/target/cuda/device_headers.hpp>
#include <jit/target/cuda/emit_cuda.hpp>
#include <jit/target/cuda/kernel_scope.hpp>
#include <jit/target/cuda/nvrtc_messages.hpp>

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

/// What an error in generated code says of a kernel's signature; empty: nothing.
std::string signature_fault_in(const std::string& text, const LoopNest& nest, std::size_t call) {
  const std::string mark = fmt::format("{} {}: ", signature_mark, call);
  if (const auto at = text.find(mark); at != text.npos)
    return fmt::format("kernel '{}': {}", nest.calls[call].name,
                       text.substr(at + mark.size(), text.rfind('"') - at - mark.size()));
  if (text.find(kernel_namespace(call)) == text.npos) return {};
  return fmt::format("the source must define one plain function '{}' at file scope: {}",
                     nest.calls[call].name, text);
}

/// Whether the first error is about a signature; not if any is in a kernel's source. Then it is
/// told in the result.
bool explain_signature(CompileResult& result, const LoopNest& nest) {
  const auto is_in_source = [](const Diagnostic& each) {
    return is_error(each) && each.file != generated_file;
  };
  if (std::ranges::any_of(result.diagnostics, is_in_source)) return false;
  for (const Diagnostic& each : result.diagnostics)
    for (std::size_t n = 0; n < nest.calls.size(); ++n) {
      result.message = is_error(each) ? signature_fault_in(each.text, nest, n) : "";
      if (result.message.empty()) continue;
      result.status = CompileStatus::wrong_signature;
      result.unit = static_cast<std::int32_t>(n);
      result.diagnostics.clear();
      return true;
    }
  return false;
}

/// What ptxas says of registers and memory is kept behind the code, in comments.
std::string with_comments(std::string ptx, const std::string& lines) {
  std::string_view rest = lines;
  while (!rest.empty()) ptx += fmt::format("// {}\n", core::next_part(rest, '\n'));
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

/// The code of a loop, loaded.
class CudaCode : public LinkedCode {
 public:
  CudaCode(const gpu::Device& device, const std::vector<std::byte>& image)
      : module_(device, image) {}

  void find(std::string_view image, const std::string& symbol) {
    const auto function = [&](const std::string& name) {
      return names_symbol(image, name) ? module_.function(name) : gpu::Function();
    };
    const std::string ending = ending_of(symbol);
    loop_.loop = function(symbol);
    loop_.pulls = symbol.starts_with(cuda_pull_role);
    loop_.fold = function(cuda_fold_role + ending);
    while (const gpu::Function gather = function(gather_role(loop_.part_sums.size()) + ending))
      loop_.part_sums.push_back(gather);
  }
  /// @throws Error internal: a constant is there, but under another name
  void find_constants(std::string_view image, const std::vector<LinkSymbol>& symbols) {
    for (std::size_t k = 0; k < symbols.size(); ++k) {
      const std::string name = device_symbol(k, symbols[k].name);
      if (reads_constant(image, name))
        add_constant(name, symbols[k].address);
      else if (reads_constant(image, k))
        core::fail(ErrorCode::internal,
                   "internal fault: the code of a loop has a constant under another name than {}; "
                   "please report it",
                   name);
    }
  }

  bool has_loop() const { return static_cast<bool>(loop_.loop); }
  void* entry() const override { return const_cast<CudaLoop*>(&loop_); }

 private:
  void add_constant(const std::string& name, const void* on_host) {
    const auto found = module_.symbol(name);  // none: the driver's compiler has removed it
    if (found) loop_.constants.push_back({found->address, found->bytes, on_host});
  }

  gpu::Module module_;
  CudaLoop loop_;
};

}  // namespace

TargetInfo CudaTarget::info() const {
  return {.triple = "nvptx64",
          .cpu = architecture_.name(),
          .features = features_of_headers(),
          .compiler = fmt::format("NVRTC {} {}", nvrtc_->version(), nvrtc_->build())};
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
                                   "--gpu-architecture=" + architecture_.name(),
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
  gpu::Compiled compiled =
      nvrtc_->compile(loop.units[0], "op2_loop.cu", headers_of(request.nest), compiler_options());
  result.diagnostics = nvrtc_messages(compiled.log);
  if (compiled.ok) {
    result.status = CompileStatus::ok;
    result.object =
        architecture_.is_virtual ? bytes_with_zero(compiled.ptx) : std::move(compiled.cubin);
    result.assembly = with_comments(std::move(compiled.ptx), ptxas_lines(compiled.log));
  } else {
    result.status = CompileStatus::rejected;
    const bool is_explained = explain_signature(result, request.nest);
    if (!is_explained && result.diagnostics.empty()) result.message = compiled.log;
  }
  result.seconds = core::seconds_since(begin);
  return result;
}

/// @param binary   a cubin, or PTX with a zero at its end
/// @param symbols  in the order of `constants_of`; constants that the compiler has removed are left
///                 out
LinkResult CudaTarget::load(const std::vector<std::byte>& binary, const std::string& symbol,
                            const std::vector<LinkSymbol>& symbols) {
  if (device_ == nullptr) return {nullptr, "there is no device to load it on"};
  try {
    const std::string_view text(reinterpret_cast<const char*>(binary.data()), binary.size());
    device_->make_current();
    auto code = std::make_unique<CudaCode>(*device_, binary);
    code->find(text, symbol);
    code->find_constants(text, symbols);
    if (!code->has_loop()) return {nullptr, "the binary does not define " + symbol};
    return {std::move(code), {}};
  } catch (const gpu::ImageRefused& refused) {
    return {nullptr, refused.what(), ErrorCode::device_compiler, !refused.may_be_damaged};
  }
}

std::shared_ptr<Target> make_cuda_target(gpu::Device* device,
                                         std::shared_ptr<const gpu::Nvrtc> nvrtc,
                                         const JitOptions& options) {
  const int number = device != nullptr ? device->architecture() : architecture_named(options.cpu);
  const gpu::Architecture architecture = nvrtc->architecture_for(number);
  return std::make_shared<CudaTarget>(device, std::move(nvrtc), architecture, options);
}

const CudaLoop& cuda_loop_of(const CompiledLoop& code) {
  core::ensure(code.target == cuda_target_name, "code of another target is launched on a GPU");
  return *static_cast<const CudaLoop*>(code.entry);
}

}  // namespace op2::jit
