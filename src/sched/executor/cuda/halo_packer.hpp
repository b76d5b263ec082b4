// SPDX-License-Identifier: BSD-3-Clause
// Halo messages of dats on a device: one kernel packs all of them into memory that MPI accesses, or
// one copy brings them to pinned memory of the host, from where they are sent; and back.
#pragma once

#include <memory>

#include <comm/halo/halo_exchange.hpp>
#include <sched/executor/cuda/messages_on_device.hpp>

namespace op2::sched {

/// For dats that have a copy on the device.
std::unique_ptr<comm::Packer> make_cuda_packer(const PackerParts& parts);

}  // namespace op2::sched
