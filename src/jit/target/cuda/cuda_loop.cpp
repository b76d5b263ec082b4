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

  void find(const std::string& symbol) {
    const std::string ending = ending_of(symbol);
    loop_.loop = module_.function(symbol.c_str());
    loop_.pulls = symbol.starts_with(cuda_pull_role);
    loop_.fold = module_.function((cuda_fold_role + ending).c_str());
    while (const gpu::Function gather =
               module_.function((gather_role(loop_.part_sums.size()) + ending).c_str()))
      loop_.part_sums.push_back(gather);
  }
  /// @throws Error internal: a constant is there, but under another name
  void find_constants(const std::vector<std::byte>& image, const std::vector<LinkSymbol>& symbols) {
    const std::string_view text(reinterpret_cast<const char*>(image.data()), image.size());
    for (std::size_t k = 0; k < symbols.size(); ++k) {
      const std::string name = device_symbol(k, symbols[k].name);
      if (const auto found = module_.symbol(name))
        loop_.constants.push_back({found->address, found->bytes, symbols[k].address});
      else if (reads_constant(text, k))
        core::fail(ErrorCode::internal,
                   "internal fault: the code of a loop has a constant under another name than {}; "
                   "please report it",
                   name);
    }
  }

  bool has_loop() const { return static_cast<bool>(loop_.loop); }
  void* entry() const override { return const_cast<CudaLoop*>(&loop_); }

 private:
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
    device.make_current();
    auto code = std::make_unique<CudaCode>(device, image);
    code->find(symbol);
    code->find_constants(image, symbols);
    if (!code->has_loop()) return {nullptr, "the binary does not define " + symbol};
    return {std::move(code), {}};
  } catch (const gpu::ImageRefused& refused) {
    return {nullptr, refused.what(), ErrorCode::device_compiler, !refused.may_be_damaged};
  }
}

}  // namespace op2::jit
