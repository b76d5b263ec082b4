// SPDX-License-Identifier: BSD-3-Clause
// What the running thread of a kernel sees as threadIdx, blockIdx, blockDim and gridDim.
#pragma once

#include "kernel_run.hpp"

namespace op2::test::gpu::cuda {

Index3& thread_index();
Index3& block_index();
Index3& block_shape();
Index3& grid_shape();

}  // namespace op2::test::gpu::cuda
