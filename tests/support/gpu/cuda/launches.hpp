// SPDX-License-Identifier: BSD-3-Clause
// What a program asks for when it launches a kernel or a graph, and how that runs.
#pragma once

#include <memory>

#include "machine.hpp"

namespace op2::test::gpu::cuda {

/// With copies of the parameters' values. @throws DriverError if the device cannot run it so
std::shared_ptr<const Launch> make_launch(const Function& function, const LaunchShape& shape,
                                          void* const* parameters);

/// Work of the call that the ticket is of. @throws Misuse if the kernel does something wrong
void run_kernel(Context& context, const Launch& launch, const Ticket& ticket);

/// All kernels, in a random order that the edges allow.
void run_graph(Context& context, const ExecutableGraph& graph, const Ticket& ticket);

}  // namespace op2::test::gpu::cuda
