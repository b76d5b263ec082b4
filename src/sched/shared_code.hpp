// SPDX-License-Identifier: BSD-3-Clause
// Code of loops for all ranks of a job: at most one compilation per key, whatever the ranks' disk
// caches hold.
#pragma once

#include <span>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <jit/jit.hpp>

namespace op2::sched {

/// `Jit::compile` for all ranks of a job: a loop has code on every rank, or the same error on every
/// rank, that of the lowest rank that has one.
///
/// With more than one rank collective: every rank makes equal requests and has made equal calls of
/// its Jit before. Then all have the same code in memory, so each knows by itself whether something
/// is missing; if nothing is, no message is sent. Otherwise the lowest rank of each target reads
/// its disk cache or compiles, and broadcasts the code: two reductions and a broadcast; if ranks
/// have different targets, which are compiled at the same time, a reduction more, and for each
/// target one and two broadcasts.
/// @throws Error kernel_differs, collective_mismatch, communication_failure
std::vector<jit::LoopCode> compile_together(jit::Jit& jit, comm::Communicator& comm,
                                            std::span<const jit::LoopRequest> requests);

}  // namespace op2::sched
