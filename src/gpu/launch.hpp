// SPDX-License-Identifier: BSD-3-Clause
// Launches of single kernels.
#pragma once

#include <span>

#include <core/memory_space.hpp>
#include <gpu/module.hpp>

namespace op2::gpu {

/// One-dimensional.
struct LaunchShape {
  unsigned blocks = 0;
  unsigned threads = 0;  ///< of a block
};

/// Queues a kernel. Returns before it has run. Without blocks nothing is queued.
/// @param stream      of a device's space
/// @param parameters  addresses of the values of the kernel's parameters, which are copied
/// @throws Error      device_failure
void launch(core::Stream& stream, const Function& function, const LaunchShape& shape,
            std::span<void* const> parameters);

}  // namespace op2::gpu
