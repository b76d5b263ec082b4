// SPDX-License-Identifier: BSD-3-Clause
// A plan: all that is decided about a sequence of queued loops before it runs. Found again by one
// comparison of its key when the same sequence is queued again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <comm/halo_exchange.hpp>
#include <core/chain.hpp>
#include <core/loop_abi.hpp>
#include <core/loop_table.hpp>
#include <core/memory.hpp>
#include <core/queue.hpp>
#include <sched/thread_plan.hpp>

namespace op2::sched {

/// A global argument, whose memory differs from call to call.
struct GlobalSlot {
  std::size_t arg;
  core::LoopArg shape;
  std::size_t offset;  ///< reductions: of the argument's part in each thread's block, in bytes
  /// The record of the chain that assigns the value which the loop sees; -1: the value from before
  /// the chain.
  std::ptrdiff_t assignment;
};

/// Iterations that run without a wait for messages in between.
struct LoopPart {
  const ThreadPlan* shares;
  int threads;
  bool counts;  ///< owned elements: they take part in reductions
};

/// How one record of the queue is executed.
struct LoopStep {
  enum class Kind { loop, assignment, dead };
  Kind kind = Kind::loop;
  core::RangeFunction range = nullptr;  ///< compiled code; null: the kernel's host function
  core::Level core = core::no_level;    ///< W_core runs while messages are in flight
  core::Level extent = 0;               ///< the rest of W_extent runs when they have arrived
  std::vector<LoopPart> early, late;
  std::int64_t early_iterations = 0, late_iterations = 0;
  std::int64_t redundant_iterations = 0;  ///< of both: beyond the owned elements
  int threads = 1;                        ///< the most that a part uses
  int binding_sets = 1;  ///< threads of parts that count, then those of parts that do not, if any
  std::vector<core::ArgBinding> bindings;  ///< shape [binding_sets x args]; globals come per call
  std::vector<GlobalSlot> reads, reductions;
  core::Buffer blocks;  ///< shape [binding_sets x block_bytes]: partial results of reductions
  std::size_t block_bytes = 0;
  core::LoopRow* row = nullptr;
  double useful_bytes = 0;

  /// Where `thread` sums up a reduction; threads of parts that do not count follow the others.
  std::byte* partial(const GlobalSlot& reduction, int thread) const {
    return blocks.get() + static_cast<std::size_t>(thread) * block_bytes + reduction.offset;
  }
};

/// Loops between two halo exchanges.
struct ChainPlan {
  std::size_t begin, end;                        ///< records of the queue
  std::vector<comm::Shipment> shipments;         ///< layers to be exchanged before
  std::unique_ptr<comm::HaloExchange> exchange;  ///< null: nothing is missing
  int layers = 0;                                ///< deepest one exchanged
};

/// What a plan was made for: the whole sequence and the validity of its dats at the start (given by
/// index of the dat).
struct PlanKey {
  std::vector<core::LoopRecord> records;  ///< call sites are not compared
  std::vector<core::LoopArg> args;
  std::vector<core::Dat*> dats;    ///< all dats of the sequence
  std::vector<core::Level> valid;  ///< of `dats`
};

struct Plan {
  PlanKey key;
  std::uint64_t stamp = 0;  ///< equal on ranks that queued the same loops
  /// What the stamp was made of, a line per record; shared with the message layer, which may ask
  /// for it after the plan is gone.
  std::shared_ptr<const std::string> description;
  std::vector<ChainPlan> chains;         ///< one after the other they cover the records
  std::vector<LoopStep> steps;           ///< one per record
  std::vector<core::Level> valid_after;  ///< of `key.dats`
};

PlanKey key_of(const core::Queue& queue, const std::vector<core::Level>& valid);

/// True if the plan was made for exactly this queue and this validity (by index of the dat).
bool fits(const PlanKey& key, const core::Queue& queue, const std::vector<core::Level>& valid);

/// Cheap; equal for equal sequences.
std::size_t hash_of(const core::Queue& queue);

}  // namespace op2::sched
