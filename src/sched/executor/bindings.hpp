// SPDX-License-Identifier: BSD-3-Clause
// The addresses of a step's data: dats and maps are bound once, globals for each call, partial
// results of reductions for each thread. And what becomes of payloads, the globals that get the
// value of one element (OP_WRITE), or of the element with a minimum or maximum (OP_ARG_INFO: argmin
// and argmax): each thread whose elements run in any order, and each rank, records which of its
// elements it was; then they are compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <core/loop_abi.hpp>
#include <core/memory.hpp>
#include <core/queue.hpp>
#include <core/signals.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// The loops of a step in one call, for the report of a crash.
class RunningStep final : public core::RunningCode {
 public:
  RunningStep() = default;
  /// Both must outlive the running of the step.
  RunningStep(const Step& step, const core::Queue& queue) : step_(&step), queue_(&queue) {}

  /// "loop 'flow' (flow.cpp:12)", and the others of a fused step.
  void describe(core::SignalText& text) const override {
    const char* separator = "";
    for (const KernelUse& use : step_->kernels) {
      const core::LoopRecord& loop = queue_->records()[use.record];
      text << separator << "loop '" << loop.name << "' (" << loop.where.file << ":"
           << static_cast<std::uint64_t>(loop.where.line) << ")";
      separator = " or ";
    }
  }

 private:
  const Step* step_ = nullptr;
  const core::Queue* queue_ = nullptr;
};

/// The index of a payload that no element has set.
inline constexpr std::int64_t no_element = -1;

/// A set of bindings per thread for iterations that count (of owned elements) and, if there are
/// others, a second one per thread for these, whose partial results are discarded.
struct StepBindings {
  int threads = 1;
  int sets = 1;                        ///< threads, or twice as many
  std::vector<core::ArgBinding> args;  ///< shape [sets x arg_count]
  core::Buffer blocks;                 ///< shape [sets x block_bytes]: partial results
  std::size_t block_bytes = 0;
  std::size_t arg_count = 0;  ///< arguments, and those that may add to slots
  RunningStep running = {};   ///< of this call

  const core::ArgBinding* args_of(int thread, bool counts) const {
    const int set = counts ? thread : threads + thread;
    return args.data() + set * arg_count;
  }
  /// The partial result of a thread.
  std::byte* partial(const GlobalArg& reduction, int set) const {
    return blocks.get() + set * block_bytes + reduction.offset;
  }
};

/// Binds dats, maps, indices and blocks; globals that are read are bound at each call.
/// @param some_do_not_count  the step has iterations that do not count in its reductions
/// @param slotted  for reproducible code: those of jit::slotted_args
StepBindings bind(const Step& step, int threads, bool some_do_not_count,
                  std::span<const core::ArgBinding> slotted = {});

/// Binds what belongs to a call: globals and the call site; and initialises partial results.
void bind_globals(const Step& step, core::Queue& queue, StepBindings& bindings);

/// The value of a global for its loop: that assigned last in the chain, or that before the chain.
/// Brings the value of a lazy global to the host.
const void* value_seen(const GlobalArg& global, core::Queue& queue);

/// Folds the threads' partial results into those of the first one.
void fold_threads(const Step& step, const StepBindings& bindings);

/// Gives the global of an assignment its value.
void run_assignment(const core::LoopRecord& record, core::Queue& queue);

// Payloads

/// Executes the iteration of a row, with bindings of the arguments.
using RunRow = std::function<void(std::int64_t row, const core::ArgBinding* bound)>;

/// Executes iterations one by one and records, after each payload, the global index of the element
/// that set it last. Local. Cost: a comparison of these values per iteration; iterations that leave
/// an OP_WRITE global as it was are executed once more, to see whether they have set it.
/// @param rows           to run, in this order
/// @param global_index   of each local row
void run_and_track(const Step& step, const StepBindings& bindings, const IndexRanges& rows,
                   std::span<const std::int32_t> global_index, const RunRow& run_one);

/// Whether a global is an extreme with payloads that elements set in any order.
bool has_candidates(const Step& step, const GlobalArg& extreme);

/// Gives the first thread the best candidates of all threads, where elements ran in any order: each
/// extreme that has payloads, these, and their element; of equal extremes those of the lowest
/// global index. Zeros of both signs are equal, except in reproducible code.
void fold_candidates(const Step& step, const StepBindings& bindings);

/// A payload on one rank after its loop; owns nothing.
struct Payload {
  std::byte* value;               ///< the root's before the loop; becomes the result of all ranks
  std::size_t bytes;              ///< of the value
  const std::byte* found;         ///< by this rank, and
  std::int64_t element;           ///< by which element: global index, or no_element
  const core::LoopArg* extreme;   ///< its minimum or maximum, or null
  const std::byte* own_extreme;   ///< of this rank
  const std::byte* best_extreme;  ///< of all ranks
};

/// Gives all ranks the final values: with an extreme, that of the element with the best one (ties:
/// the lowest global index); without, that of the highest global index. The root's value, if no
/// element has set one or none has improved on the extreme's value before the loop on some rank.
/// Collective: two reductions.
void choose_payloads(comm::Communicator& communicator, std::span<const Payload> payloads);

}  // namespace op2::sched
