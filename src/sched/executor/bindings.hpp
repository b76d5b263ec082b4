// SPDX-License-Identifier: BSD-3-Clause
// The addresses of a step's data: dats and maps are bound once, globals for each call, partial
// results of reductions for each thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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

}  // namespace op2::sched
