// SPDX-License-Identifier: BSD-3-Clause
// Halo messages of dats on a device: one kernel packs all of them, one copy brings them to pinned
// memory of the host, from where they are sent; and back.
#pragma once

#include <memory>

#include <comm/halo/halo_exchange.hpp>
#include <core/memory_space.hpp>
#include <gpu/module.hpp>

namespace op2::sched {

/// What packers work with; all references outlive them.
struct PackerParts {
  core::MemorySpace& space;
  core::Stream& halo;  ///< beside the main stream: packing does not wait for later loops
  gpu::Function kernel;
};

/// For dats that have a copy on the device.
std::unique_ptr<comm::Packer> make_cuda_packer(const PackerParts& parts);

}  // namespace op2::sched
