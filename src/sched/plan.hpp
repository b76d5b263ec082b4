// SPDX-License-Identifier: BSD-3-Clause
// A plan: all that is decided about a sequence of queued loops before it runs. Found again by one
// comparison of its key when the same sequence is queued again.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

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
};

/// How one record of the queue is executed.
struct LoopStep {
  enum class Kind { loop, assignment, dead };
  Kind kind = Kind::loop;
  core::RangeFunction range = nullptr;  ///< compiled code; null: the kernel's host function
  const ThreadPlan* shares = nullptr;
  int threads = 1;
  std::vector<core::ArgBinding>
      bindings;  ///< shape [threads x args]; globals are filled in per call
  std::vector<GlobalSlot> reads, reductions;
  core::Buffer blocks;  ///< shape [threads x block_bytes]: partial results of reductions
  std::size_t block_bytes = 0;
  core::LoopRow* row = nullptr;
  double useful_bytes = 0;

  /// Where `thread` sums up a reduction.
  std::byte* partial(const GlobalSlot& reduction, int thread) const {
    return blocks.get() + static_cast<std::size_t>(thread) * block_bytes + reduction.offset;
  }
};

/// What a plan was made for: the whole sequence and the validity of its dats at the start.
struct PlanKey {
  std::vector<core::LoopRecord> records;  ///< call sites are not compared
  std::vector<core::LoopArg> args;
  std::vector<core::Dat*> dats;    ///< all dats of the sequence
  std::vector<core::Level> valid;  ///< of `dats`
};

struct Plan {
  PlanKey key;
  std::vector<LoopStep> steps;           ///< one per record
  std::vector<core::Level> valid_after;  ///< of `key.dats`
};

/// True if the plan was made for exactly this queue and this validity (by index of the dat).
bool fits(const PlanKey& key, const core::Queue& queue, const std::vector<core::Level>& valid);

/// Cheap; equal for equal sequences.
std::size_t hash_of(const core::Queue& queue);

}  // namespace op2::sched
