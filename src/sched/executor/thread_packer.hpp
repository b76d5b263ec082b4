// SPDX-License-Identifier: BSD-3-Clause
// Packs halo messages with the threads of the host.
#pragma once

#include <memory>

#include <comm/halo/halo_exchange.hpp>
#include <core/thread_pool.hpp>

namespace op2::sched {

/// Each thread copies an equal part of every segment; few rows are copied by the calling thread.
/// @param pool  outlives the packer
std::unique_ptr<comm::Packer> make_thread_packer(core::ThreadPool& pool);

}  // namespace op2::sched
