// SPDX-License-Identifier: BSD-3-Clause
// A plan: all that is decided about a sequence of queued loops before it runs, whatever executes
// it, and the key by which it is found when the sequence is queued again. Each member is the value
// of one pass (engine.cpp lists them); a plan that is executed is const. What differs from call to
// call lives beside it: values of globals in the queue, memory and messages in the executor's
// PreparedPlan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <comm/halo/halo_exchange.hpp>
#include <comm/messages/reduce_values.hpp>
#include <core/arithmetic.hpp>
#include <core/levels.hpp>
#include <core/loop_abi.hpp>
#include <core/measurements/measurements.hpp>
#include <core/queue.hpp>
#include <jit/jit.hpp>
#include <jit/loop_nest.hpp>
#include <sched/rows.hpp>

namespace op2::sched {

/// The whole sequence, and the validity of its dats at the start, or of some the least.
struct PlanKey {
  std::vector<core::LoopRecord> records;  ///< call sites are not compared
  std::vector<core::LoopArg> args;
  std::vector<core::Dat*> dats;    ///< all dats of the sequence
  std::vector<core::Level> valid;  ///< of `dats`
  /// Whether the plan is the same if they are valid deeper; empty: of none.
  std::vector<char> may_be_deeper;
};

/// Of the sequence alone, for is_sequence_of.
PlanKey sequence_key(const core::Queue& queue);

/// @param valid  per dat of the mesh, by its index
PlanKey key_of(const core::Queue& queue, const std::vector<core::Level>& valid);

/// Whether it is the same sequence, whatever is valid.
bool is_sequence_of(const PlanKey& key, const core::Queue& queue);

/// Notes which dats may be valid deeper than they were: those that the sequence only reads, as it
/// was queued, if their halos were deep enough already. Then nothing is exchanged of them, and
/// deeper halos change no chain and no interior, and extents at most in that loops could run
/// further to be fused (widened_extents).
/// @param exchanged  whether the plan exchanges layers of the dat
void note_deeper(PlanKey& key, const std::function<bool(const core::Dat&)>& exchanged);

/// Whether the plan was made for exactly this queue and this validity, or one that makes no
/// difference.
/// @param valid  per dat of the mesh, by its index
bool fits(const PlanKey& key, const core::Queue& queue, const std::vector<core::Level>& valid);

/// Equal for equal sequences. Cost O(arguments).
std::size_t hash_of(const core::Queue& queue);

class LoopTimes;  // policy/cost_history.hpp

/// Records [begin, end) of the queue.
struct RecordRange {
  std::size_t begin, end;
  auto operator<=>(const RecordRange&) const = default;
};

inline std::span<const core::LoopRecord> records_in(const core::Queue& queue, RecordRange range) {
  return queue.records().subspan(range.begin, range.end - range.begin);
}

/// A chain runs in two phases: iterations that need no halo, while messages are in flight; then the
/// others.
enum class Phase { interior, boundary };

/// How far a loop runs. Uniform: equal on every rank.
struct LoopLevels {
  core::Level interior = core::no_level;  ///< W_interior runs while messages are in flight
  core::Level extent = core::no_level;    ///< it runs on W_extent; no_level: a dead loop
  /// Of Analysis::slices: the rows of these levels that run; -1: all.
  std::int32_t slice = -1;
  bool operator==(const LoopLevels&) const = default;
};

/// Loops that one halo exchange precedes, if any. Uniform.
struct Chain {
  RecordRange records;
  std::vector<comm::DatLayers> exchanged;  ///< layers that are missing before the chain
  int layers = 0;                          ///< deepest of them
};

/// The queue cut into chains, and their levels.
struct Analysis {
  std::vector<Chain> chains;             ///< one after the other they cover the records
  std::vector<LoopLevels> loops;         ///< per record; unused for an assignment
  std::vector<core::Level> valid_after;  ///< per dat of the mesh, by its index
  core::Level rows = core::no_level;     ///< sets must have rows up to this level
  /// Rows that loops run, ascending, of this rank; see slice.hpp. How many there are is uniform.
  std::vector<IndexRanges> slices{};
};

/// Whether the result of a loop depends on the order of its iterations.
enum class Order {
  any,
  /// It does: iterations run one after the other, the lowest global index first; on several ranks,
  /// where only what no loop reads may depend on it, in the order of local rows.
  by_global_index,
  /// It does, and one order is as good as another: all threads run iterations, those at the same
  /// time share no row. The order follows from the local rows and the number of threads. On one
  /// rank only.
  by_rows
};

/// Where an argument of a step comes from.
struct ArgSource {
  std::size_t record;  ///< of the queue
  std::size_t arg;     ///< of that record

  /// The value in this call.
  const core::ArgValue& value_in(const core::Queue& queue) const {
    return queue.values_of(queue.records()[record])[arg];
  }
};

/// A global argument of a step, whose value differs from call to call.
struct GlobalArg {
  std::size_t arg;  ///< of the step
  core::LoopArg shape;
  ArgSource source;
  /// The record of the chain that assigns the value which the loop sees; -1: the value from before
  /// the chain.
  std::ptrdiff_t assignment;
  /// Reductions: where a thread's partial result is in its block, in bytes.
  std::size_t offset = 0;
  /// Argmin and argmax payloads: where, after the value, the global index of its element is kept,
  /// in bytes. Used if elements ran in any order, or on several ranks.
  std::size_t element = 0;
  /// A sum that is rounded once: partial results are blocks of terms (core/exact_sum.hpp).
  bool exact = false;
  comm::Nan nan = comm::Nan::loses;  ///< of a minimum or maximum
};

/// The kernel of a loop, called once per element.
struct KernelUse {
  op_kernel kernel;
  std::size_t record;              ///< of the loop
  core::Set* set;                  ///< of the loop
  std::vector<jit::CallArg> args;  ///< per argument of the record, with its position in Step::args
};

/// Arguments of a loop over a set.
struct SetArgs {
  const op_set_core* set;
  std::span<const core::LoopArg> args;
};

/// The code that runs the iterations of a step.
struct StepCode {
  const jit::CompiledLoop* compiled = nullptr;     ///< null: the kernel's host function
  std::span<const core::NamedVariable> variables;  ///< of the program, that a host function reads
};

/// Loops over other sets whose increments the elements of a step gather, each those to its own row,
/// before the other kernels run (jit::LoopNest::gathered). They are its first kernels, one each.
struct GatheredLoops {
  std::vector<std::int32_t> arg_ends;   ///< per loop: where its arguments end in Step::args
  core::Level extent = core::no_level;  ///< of these loops: all that adds to W_extent of the step
  /// Dats with sums that an earlier step has left at zero, and those whose sums this step leaves at
  /// zero and the next one that uses them takes for zero. Neither are in memory.
  std::vector<const core::Dat*> zero_initialised, not_stored;
};

/// What is executed at one position of the plan: a loop; several loops fused, whose kernels are
/// called one after the other for each element; or no iterations at all. On a device, the elements
/// may first gather what other loops add to their rows (jit::LoopNest::gathered).
struct Step {
  enum class Kind { loops, assignment, dead };
  Kind kind = Kind::loops;
  std::size_t record = 0;  ///< the first
  core::Set* set = nullptr;
  Order order = Order::any;
  /// Only rows of this colour run; null: all.
  const core::Colouring* colouring = nullptr;
  std::int32_t colour = 0;
  LoopLevels levels;  ///< of the loops that are not gathered
  /// Only these rows of the levels run, ascending; null: all.
  const IndexRanges* slice = nullptr;
  std::vector<KernelUse> kernels;
  std::vector<core::LoopArg> args;  ///< equal accesses of several loops are one argument
  std::vector<ArgSource> sources;   ///< of `args`
  std::optional<GatheredLoops> gather;
  std::vector<GlobalArg> reads, reductions;
  std::size_t block_bytes = 0;  ///< of the partial results of a thread

  bool runs() const { return kind == Kind::loops; }
  bool fused() const { return kernels.size() > 1; }
  std::int64_t loops() const { return static_cast<std::int64_t>(kernels.size()); }
  /// Host functions set payloads in order.
  Order order_of(const StepCode& code) const;
  /// Whether the executor records which element has set a global, because the code does not.
  bool tracks_elements(const StepCode& code) const;
  /// Whether owned elements run in the order of the declaration although their rows have another.
  bool runs_as_declared(const StepCode& code) const;
  /// Whether it is the first, or only, step of its loops: the others run further colours.
  bool begins_call() const { return colour == 0; }
  bool gathers() const { return gather.has_value(); }
  /// Where the arguments of each gathered loop end.
  std::span<const std::int32_t> gathered() const {
    return gather ? std::span<const std::int32_t>(gather->arg_ends)
                  : std::span<const std::int32_t>();
  }
  /// The set of the loop that an argument belongs to.
  const core::Set& set_of(std::size_t arg) const;
  /// Of each gathered loop, then of the others.
  std::vector<SetArgs> accesses() const;
  /// Local rows that run in a phase, in the rows that the set has now.
  IndexRange rows(Phase phase) const;
  /// Local rows of the set of a gathered loop that may add to the rows of any phase.
  IndexRange gathered_rows(const core::Set& of) const { return {0, of.within(gather->extent)}; }
  /// Whether rows between the first and the last of a phase do not run.
  bool leaves_out_rows() const { return colouring != nullptr || slice != nullptr; }
  /// The rows of these ranges that run, in the same order: all, those of its colour or those of its
  /// slice (never of both). Cost: linear in the rows, or for a slice alone in the ranges of both.
  IndexRanges rows_in(const IndexRanges& ranges) const;
  /// Rows that run in a phase, of all colours.
  std::int64_t iterations(Phase phase) const;
  /// Iterations of both phases beyond the owned elements.
  std::int64_t redundant_iterations() const;
  bool accesses_dat(const core::Dat* dat) const;
  /// Useful memory traffic of one execution, in bytes: each dat once, twice if it is read and
  /// written, only rows that can be accessed, and each map row once.
  double useful_bytes() const;
};

/// Steps of all chains, in their order.
struct Steps {
  std::vector<Step> all;
  std::vector<std::size_t> begin;  ///< of each chain, and the end of the last: [chains + 1]

  /// Those of a chain, by their positions.
  core::Numbers of(std::size_t chain) const { return {begin[chain], begin[chain + 1]}; }
};

/// The rows of the per-loop table that a step counts in.
struct StepRows {
  core::LoopRow* row = nullptr;
  std::vector<core::LoopRow*> members;  ///< of the loops that were fused, if any
  std::vector<std::int64_t*>
      fused_calls;          ///< of each member, in its row: those that `row` has the time of
  double useful_bytes = 0;  ///< see Step::useful_bytes
  double flops = core::unknown_flops;  ///< of an iteration
  /// Iterations of this rank in the two phases, and those of both beyond the owned elements.
  std::int64_t interior = 0, boundary = 0, redundant = 0;
  std::vector<LoopTimes*> times = {};  ///< of its loops, which share its time; empty: nobody asks
  /// Seconds in this execution, for regions: measured, and so no part of what is const.
  std::unique_ptr<double> spent = std::make_unique<double>(0);

  void spend(double seconds) const {
    row->seconds += seconds;
    *spent += seconds;
  }
};

struct Plan {
  PlanKey key;
  /// Of each queued record, see Colourings::of; the other members refer to records in colours.
  std::vector<const core::Colouring*> colourings;
  Analysis analysis;
  Steps steps;
  std::vector<StepCode> code;     ///< per step
  std::vector<StepRows> rows;     ///< per step
  std::int64_t number = 0;        ///< of the plans that its engine has made, from 1
  std::uint64_t fingerprint = 0;  ///< equal on ranks that queued the same loops
  /// What the fingerprint was made of, a line per record; shared with the message layer, which may
  /// ask for it after the plan is gone.
  std::shared_ptr<const std::string> description;

  const std::vector<Chain>& chains() const { return analysis.chains; }
};

}  // namespace op2::sched
