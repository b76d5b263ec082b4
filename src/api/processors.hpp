// SPDX-License-Identifier: BSD-3-Clause
// Processors of a rank beside the other processes of its machine.
#pragma once

#include <string>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <core/thread_pool.hpp>
#include <core/topology.hpp>

namespace op2::api {

/// What this rank takes (core::share_of) of what the ranks on its machine may use. Each counts at
/// the place that the launcher gave it there. Processes of the launcher that are no ranks, such as
/// those of a coupled program, count at theirs as if they could use the same cores, unless the
/// ranks are bound each to its part of the machine. Collective: a word of all ranks, and a message
/// to each rank of the machine.
core::Topology share_of_machine(const core::Topology& of_process, comm::Communicator& ranks);

/// "4 threads on processors 0-3, caches 1.0 MiB for a core, 8.0 MiB shared".
std::string describe(const core::Topology& topology, const core::ThreadPool& pool);

/// A line for all ranks that have the same text: "each of ranks 0-3 has TEXT". A single rank has no
/// number.
std::vector<std::string> lines_of(const std::vector<std::string>& text_of_rank);

}  // namespace op2::api
