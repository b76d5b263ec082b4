// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cuda/cuda_loop.hpp>

#include <string>
#include <string_view>
#include <utility>

#include <core/error.hpp>
#include <jit/target/cuda/device_constants.hpp>
#include <jit/target/cuda/kernel_symbols.hpp>

namespace op2::jit {
namespace {

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

const CudaLoop& cuda_loop_of(const CompiledLoop& code) {
  core::ensure(code.target == cuda_target_name, "code of another target is launched on a GPU");
  return *static_cast<const CudaLoop*>(code.entry);
}

LinkResult load_cuda_loop(const gpu::Device& device, const std::vector<std::byte>& image,
                          const std::string& symbol, const std::vector<LinkSymbol>& symbols) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(image.data()), image.size());
    device.make_current();
    auto code = std::make_unique<CudaCode>(device, image);
    code->find(text, symbol);
    code->find_constants(text, symbols);
    if (!code->has_loop()) return {nullptr, "the binary does not define " + symbol};
    return {std::move(code), {}};
  } catch (const gpu::ImageRefused& refused) {
    return {nullptr, refused.what(), ErrorCode::device_compiler, !refused.may_be_damaged};
  }
}

}  // namespace op2::jit
