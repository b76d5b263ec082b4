// SPDX-License-Identifier: BSD-3-Clause
// The target of NVIDIA GPUs: CUDA C++ that NVRTC compiles to machine code of one architecture.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <core/memory_space.hpp>
#include <core/options.hpp>
#include <gpu/device.hpp>
#include <gpu/module.hpp>
#include <gpu/nvrtc.hpp>
#include <jit/backend.hpp>
#include <jit/jit.hpp>
#include <jit/target/target.hpp>

namespace op2::jit {

inline constexpr const char* cuda_target_name = "cuda";

/// A constant that kernels read. Code is loaded without its value: whoever launches the code copies
/// it before the first launch, and again after it has changed.
struct CudaConstant {
  core::DeviceAddress on_device;
  std::size_t bytes = 0;
  const void* on_host = nullptr;
};

/// What `CompiledLoop::entry` points to. The parameters are those of kernel_parameters.hpp.
struct CudaLoop {
  gpu::Function loop{};
  gpu::Function fold{};  ///< null if the loop has no reductions
  bool pulls = false;    ///< `loop` is op2_pull, not op2_loop
  std::vector<gpu::Function>
      part_sums{};  ///< what adds the parts of each dat (kernel_parameters.hpp)
  std::vector<CudaConstant> constants{};
};

class CudaTarget : public Target {
 public:
  CudaTarget(const gpu::Device* device, std::shared_ptr<const gpu::Nvrtc> nvrtc,
             const gpu::Architecture& architecture, JitOptions options)
      : device_(device),
        nvrtc_(std::move(nvrtc)),
        architecture_(architecture),
        options_(std::move(options)) {}

  std::string name() const override { return cuda_target_name; }
  TargetInfo info() const override;
  /// All that NVRTC gets is in it, so that code of other options is never used.
  std::string options() const override;
  EmittedLoop emit(const LoopNest& nest) const override;
  CompileResult compile(const LoopRequest& request, EmittedLoop& loop) override;
  /// Fails without a device.
  LinkResult load(const std::vector<std::byte>& binary, const std::string& symbol,
                  const std::vector<LinkSymbol>& symbols) override;

 private:
  std::vector<std::string> compiler_options() const;

  const gpu::Device* device_;
  std::shared_ptr<const gpu::Nvrtc> nvrtc_;
  const gpu::Architecture architecture_;
  const JitOptions options_;
};

/// @param device  outlives the target and its code; null: code is compiled and not loaded, for the
///                architecture that `options.cpu` names ("sm_90")
/// @throws Error  bad_option: `options.cpu` is not the name of an architecture; device_compiler:
///                the architecture is older than all that NVRTC compiles for
std::shared_ptr<Target> make_cuda_target(gpu::Device* device,
                                         std::shared_ptr<const gpu::Nvrtc> nvrtc,
                                         const JitOptions& options);

/// Precondition: `code` is of this target.
const CudaLoop& cuda_loop_of(const CompiledLoop& code);

}  // namespace op2::jit
