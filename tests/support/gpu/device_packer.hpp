// SPDX-License-Identifier: BSD-3-Clause
// Packs halo messages on an emulated device: one kernel for all segments, copies through pinned
// memory.
#pragma once

#include <memory>

#include <comm/halo/halo_exchange.hpp>

#include "device_space.hpp"

namespace op2::test::gpu {

/// What a packer queues its work on.
struct PackerStreams {
  DeviceSpace& space;
  core::Stream& halo;  ///< beside the main stream
};

/// @param streams  must outlive it
/// The dats of its messages must have a copy on the device.
std::unique_ptr<comm::Packer> make_device_packer(const PackerStreams& streams);

}  // namespace op2::test::gpu
