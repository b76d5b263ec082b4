// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gpu/device.hpp>
#include <gpu/nvrtc.hpp>

namespace bench {

/// Prints what the ways to add rows of four doubles through a map take (by rows, by components,
/// gathered by the rows), with blocks of 64 to 512 threads, and sums over chunks of 512 to 16384
/// elements: what the library's generated kernels fix.
/// @param cells   rows; there are twice as many edges, of which each adds to two rows
/// @throws op2::Error; std::runtime_error: a result is wrong
void measure_schemes(op2::gpu::Device& device, const op2::gpu::Nvrtc& nvrtc, int cells, int rounds);

}  // namespace bench
