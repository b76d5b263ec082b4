// SPDX-License-Identifier: BSD-3-Clause
// The first pass: what the sources of kernels prove about the arguments of a queue, and the access
// that plans therefore count with.
//
// OP_WRITE promises that a kernel sets the rows that it gets. One that sets them only under a
// condition, or reads them first, leaves or uses old values; so unless the opposite is proven, the
// old rows must be there, as for OP_RW. The order of elements stays that of OP_WRITE. OP_RW through
// a map that is proven to do nothing but add is an increment, or, likewise, a minimum or maximum.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <core/log.hpp>
#include <core/mesh.hpp>
#include <core/options.hpp>
#include <core/queue.hpp>
#include <jit/kernel_facts.hpp>
#include <jit/loop_nest.hpp>
#include <sched/loop_requests.hpp>
#include <sched/plan.hpp>

namespace op2::jit {
class Jit;
}

namespace op2::sched {

/// Uniform but for the reasons, which only the first rank has.
struct Facts {
  std::vector<jit::ArgumentFacts> args;  ///< parallel to Queue::args
  bool asked = true;                     ///< false: there was no prover, so nothing is proven
};

/// Local. Proves facts of several loops, in their order, see jit::Jit::facts. Null: nothing is
/// proven.
using Prover = std::function<std::vector<jit::KernelFacts>(std::span<const jit::LoopRequest>)>;

/// Asks the maker of code for CPUs; null if kernels run as host functions anyway.
/// @param host  null: `target` makes code for the CPU. Both must outlive the result.
Prover prover_of(const core::Options& options, jit::Jit& target, jit::Jit* host);

/// Collective if a loop of the queue declares OP_WRITE or OP_RW of a dat: the first rank asks its
/// prover and tells the others. Cost: a broadcast of a byte per argument; on the first rank that of
/// the prover, for each loop with such an argument.
Facts find_facts(const core::Queue& queue, LoopRequests& loops, const Prover& prove,
                 comm::Communicator& ranks);

/// The queue with the access that plans count with. Pure.
core::Queue as_used(const core::Queue& queue, const Facts& facts);

/// Warns once of each direct argument that is declared OP_WRITE although the source shows that old
/// values are left or used. Through maps, OP_WRITE may leave what it does not set.
void report_kept_rows(const core::Queue& queue, const Facts& facts, core::Log& log);

/// Why the OP_RW arguments through maps of a loop are not increments: "; arg 2 (OP_RW): kernel
/// 'flux' also reads it (flux.hpp:12:3)", that nothing is proven without the compiler, or nothing
/// if the reason is not known.
std::string why_not_increments(const core::Queue& queue, const Facts& facts, std::size_t record);

/// The facts of sequences that have had a plan: further plans of a sequence need no messages for
/// them, whatever rows and schedule they are for. Uniform: ranks find and add the same sequences.
/// What is proven may need constants, so facts from before the last one was declared are not found.
class KnownFacts {
 public:
  /// Null: none are known. Valid until the next `add`.
  const Facts* find(const core::Queue& declared, const core::Mesh& mesh) const;
  const Facts& add(const core::Queue& declared, const core::Mesh& mesh, Facts facts);

 private:
  struct Entry {
    PlanKey sequence;
    Facts facts;
  };
  std::unordered_multimap<std::size_t, Entry> entries_;
  std::size_t constants_ = 0;  ///< so many were declared
};

}  // namespace op2::sched
