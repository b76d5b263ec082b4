// SPDX-License-Identifier: BSD-3-Clause
// Where the loops of a session run, and what makes code for them.
#pragma once

#include <memory>

#include <comm/messages/mpi_communicator.hpp>
#include <core/log.hpp>
#include <core/measurements/listener.hpp>
#include <core/mesh.hpp>
#include <core/options.hpp>
#include <gpu/device.hpp>
#include <jit/jit.hpp>

namespace op2::api {

/// @param mesh  whose constants kernels see; it and `listeners` outlive the maker
jit::JitOptions jit_options(const core::Options& options, const core::Mesh& mesh,
                            const core::Listeners& listeners);

/// Null unless loops run on a device. Local.
/// @param session  null: one rank. Otherwise ranks take the devices of their machine in turn.
/// @throws Error no_device, device_failure, out_of_memory
std::unique_ptr<gpu::Device> open_device(const core::Options& options,
                                         const comm::MpiSession* session);

/// For gpu::CurrentContext. Null: no device.
const gpu::Driver* driver_of(const gpu::Device* device);

/// Makes code for the device; for the CPU if there is none.
/// @param device, host_jit  outlive it; host_jit is that of the CPU beside a device
jit::Jit make_jit(const core::Options& options, jit::JitOptions given, core::Log& log,
                  gpu::Device* device, jit::Jit* host_jit);

}  // namespace op2::api
