// SPDX-License-Identifier: BSD-3-Clause
// A plan: all that is decided about a sequence of queued loops before it runs. Found again by one
// comparison of its key when the same sequence is queued again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <comm/halo/halo_exchange.hpp>
#include <core/chain.hpp>
#include <core/loop_abi.hpp>
#include <core/loop_table.hpp>
#include <core/memory.hpp>
#include <core/queue.hpp>
#include <sched/thread_plan.hpp>
#include <sched/tile_model.hpp>
#include <sched/tile_plan.hpp>

namespace op2::sched {

/// Where an argument of a step comes from.
struct ArgSource {
  std::size_t record;  ///< of the queue
  std::size_t arg;     ///< of that record

  /// What belongs to this call.
  const core::ArgValue& value_in(const core::Queue& queue) const {
    return queue.values_of(queue.records()[record])[arg];
  }
};

/// A global argument, whose memory differs from call to call.
struct GlobalSlot {
  std::size_t arg;  ///< of the step
  core::LoopArg shape;
  std::size_t offset;  ///< reductions: of the argument's part in each thread's block, in bytes
  /// The record of the chain that assigns the value which the loop sees; -1: the value from before
  /// the chain.
  std::ptrdiff_t assignment;
  /// Globals set by one element: where, behind the value, the number of that element is kept, in
  /// bytes. Used on several ranks.
  std::size_t mark = 0;
  ArgSource source{0, 0};
};

/// Iterations that run without a wait for messages in between.
struct LoopPart {
  const ThreadPlan* shares;
  int threads;
  bool counts;  ///< owned elements: they take part in reductions
};

/// A loop runs in two halves: while messages are in flight, and when they have arrived.
enum class Half { early, late };

/// How one record of the queue is executed, or several that became one.
struct LoopStep {
  enum class Kind {
    loop,
    fused,  ///< executed by a loop before
    assignment,
    dead
  };
  Kind kind = Kind::loop;
  op_kernel kernel = nullptr;
  core::Set* set = nullptr;
  std::vector<core::LoopArg> args;
  std::vector<ArgSource> sources;       ///< of `args`
  core::RangeFunction range = nullptr;  ///< compiled code; null: the kernel's host function
  std::span<const core::NamedVariable> variables;  ///< of the program, that a host function reads
  core::Level core = core::no_level;               ///< W_core runs while messages are in flight
  core::Level extent = 0;  ///< the rest of W_extent runs when they have arrived
  bool in_order = false;   ///< the result depends on the order of the iterations
  bool marks = false;      ///< notes which element has set a global
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
  std::vector<core::LoopRow*> rows_of_members;  ///< of the loops that were fused, if any
  bool wide = false;                            ///< the code executes several elements at once
  double useful_bytes = 0;

  /// Loops of the program that it executes.
  std::int64_t loops() const { return std::max<std::int64_t>(1, std::ssize(rows_of_members)); }

  Range rows(Half half) const {
    return half == Half::early ? Range{0, early_iterations}
                               : Range{early_iterations, early_iterations + late_iterations};
  }

  /// Bindings of a thread for iterations that take part in reductions, or for others.
  const core::ArgBinding* bindings_of(int thread, bool counts) const {
    return bindings.data() +
           static_cast<std::size_t>(counts ? thread : threads + thread) * args.size();
  }

  /// Where `thread` sums up a reduction; threads of parts that do not count follow the others.
  std::byte* partial(const GlobalSlot& reduction, int thread) const {
    return blocks.get() + static_cast<std::size_t>(thread) * block_bytes + reduction.offset;
  }
};

/// Loops that are executed tile by tile, in one of their halves.
struct TiledLoops {
  std::size_t begin, end;  ///< records of the queue; those that are no loops are not among them
  std::vector<std::size_t> records;  ///< by TileItem::loop
  TilePlan plan;
  TileTrial trial;
  /// What each thread needed for each loop so far: shape [threads x seconds_stride].
  std::vector<double> seconds;
  std::size_t seconds_stride;
};

/// Loops between two halo exchanges.
struct ChainPlan {
  std::size_t begin, end;                        ///< records of the queue
  std::vector<comm::DatLayers> shipments;        ///< layers to be exchanged before
  std::unique_ptr<comm::HaloExchange> exchange;  ///< null: nothing is missing
  int layers = 0;                                ///< deepest one exchanged
  std::vector<TiledLoops> early, late;           ///< ascending
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
  bool awaits_code = false;              ///< loops run as host functions until their code is made
  int executions = 0;                    ///< begun; counted until loops are fused and tiled
};

PlanKey key_of(const core::Queue& queue, const std::vector<core::Level>& valid);

/// True if the plan was made for exactly this queue and this validity (by index of the dat).
bool fits(const PlanKey& key, const core::Queue& queue, const std::vector<core::Level>& valid);

/// Cheap; equal for equal sequences.
std::size_t hash_of(const core::Queue& queue);

}  // namespace op2::sched
