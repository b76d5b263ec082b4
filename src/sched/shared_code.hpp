// SPDX-License-Identifier: BSD-3-Clause
// Code of loops for all ranks of a job: one compilation per key, whatever is on whose disk.
#pragma once

#include <span>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <jit/jit.hpp>

namespace op2::sched {

/// Code for all loops of a chain, in the order of the requests. A loop has code on every rank, or
/// the same error on every rank: that of the lowest rank that has one.
///
/// With one rank: `Jit::get`. Otherwise collective: equal requests on every rank, and equal calls
/// of this Jit before. What is in memory is then the same on every rank, so each knows by itself
/// whether something is missing; if nothing is, no message is sent. Else the lowest rank of each
/// target reads its disk or compiles, all of these at the same time, and broadcasts the code: two
/// reductions, and for each target a reduction and two broadcasts.
/// @throws Error kernel_differs, collective_mismatch, communication_failure
std::vector<jit::Outcome> code_for(jit::Jit& jit, comm::Communicator& comm,
                                   std::span<const jit::LoopRequest> requests);

}  // namespace op2::sched
