// SPDX-License-Identifier: BSD-3-Clause
// Processors of a rank beside the other ranks of its machine.
#pragma once

#include <string>

#include <comm/messages/communicator.hpp>
#include <core/topology.hpp>

namespace op2::api {

/// What this rank takes (core::share_of) of what the ranks on its machine may use. Processes that
/// the launcher has started there beside this communicator, such as those of a coupled program,
/// count as if they could use the same cores, unless this rank is bound to its part of the machine.
/// Collective: a word of all ranks, and a message to each rank of the machine.
core::Topology share_of_machine(const core::Topology& of_process, comm::Communicator& ranks);

/// "4 threads on processors 0-3, caches 1.0 MiB for a core, 8.0 MiB shared".
std::string describe(const core::Topology& topology, int threads);

}  // namespace op2::api
