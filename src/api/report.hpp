// SPDX-License-Identifier: BSD-3-Clause
// The reports at the end of a session. Collective; the root has the result.
#pragma once

#include <string>

#include <api/runtime.hpp>
#include <comm/halo/halo_plan.hpp>

namespace op2::api {

/// The per-loop table of all ranks: calls, iterations and bytes of all together, times of the
/// slowest and the fastest rank, and their mean.
core::LoopTable table_of_all_ranks(Runtime& runtime);

/// Statistics of the JIT and the exchanges of all ranks, as lines of text.
std::string summary_of_all_ranks(Runtime& runtime);

/// The most that any rank's halos take; no rows on one rank, or until the mesh is distributed.
comm::HaloMemory halo_memory_of_ranks(Runtime& runtime);

/// Called early, so that a long run does not end without its reports. Collective.
/// @throws Error io_failure, on all ranks, if the root cannot write to the folders of the files
/// that OP2_TIMING, OP2_TRACE and OP2_MODEL ask for
void check_report_paths(Runtime& runtime);

/// Prints the per-loop table and the summary to standard output, on the root.
void print_timing(Runtime& runtime);

/// Writes the file that OP2_TIMING asks for, on the root; the table of OP2_TIMING=- is printed,
/// unless the program has printed it after its last loop.
void write_timing(Runtime& runtime);

}  // namespace op2::api
