// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include <gpu/device.hpp>
#include <gpu/nvrtc.hpp>

namespace bench {

/// Prints the bandwidth of copies inside the device: bytes read and bytes written over the time of
/// the fastest round. What loops reach is compared with it.
void measure_copies(op2::gpu::Device& device, std::size_t bytes, int rounds);

/// Prints the time of a kernel that does nothing: queued on a stream, each waited for, and in a
/// graph of `kernels` kernels in a row.
void measure_launches(op2::gpu::Device& device, const op2::gpu::Nvrtc& nvrtc, int kernels,
                      int rounds);

}  // namespace bench
