// SPDX-License-Identifier: BSD-3-Clause
// The loaded code of a loop on a GPU.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <core/memory_space.hpp>
#include <gpu/device.hpp>
#include <gpu/module.hpp>
#include <jit/compile_result.hpp>
#include <jit/jit.hpp>

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
  gpu::Function fold{};                    ///< null if the loop has no reductions
  bool pulls = false;                      ///< `loop` is op2_pull, not op2_loop
  std::vector<gpu::Function> part_sums{};  ///< what adds the parts of each dat (ordered_sums.hpp)
  std::vector<CudaConstant> constants{};
};

/// Precondition: `code` is of this target.
const CudaLoop& cuda_loop_of(const CompiledLoop& code);

/// Loads a binary on a device, which must outlive it. Any thread.
/// @param image    a cubin, or PTX with a zero at its end
/// @param symbol   of op2_loop or op2_pull (kernel_symbols.hpp)
/// @param symbols  of the nest's constants, in the order of `constants_of`, and where their values
///                 are on the host. Constants that the compiler has removed are left out.
/// @throws Error   internal: the code has one of them under another name
LinkResult load_cuda_loop(const gpu::Device& device, const std::vector<std::byte>& image,
                          const std::string& symbol, const std::vector<LinkSymbol>& symbols);

}  // namespace op2::jit
