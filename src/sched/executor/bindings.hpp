// SPDX-License-Identifier: BSD-3-Clause
// Where the code of a step finds its data: dats and maps once for all calls, globals for each call,
// and partial results of reductions for each thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <core/loop_abi.hpp>
#include <core/memory.hpp>
#include <core/queue.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// No element has set a payload.
inline constexpr std::int64_t no_element = -1;

/// Bindings of the threads for iterations that count (of owned elements), followed by those of the
/// threads for iterations that do not, where there are any: these have blocks that nobody reads.
struct StepBindings {
  int threads = 1;
  int sets = 1;                        ///< threads, or twice as many
  std::vector<core::ArgBinding> args;  ///< shape [sets x arguments]
  core::Buffer blocks;                 ///< shape [sets x block_bytes]: partial results
  std::size_t block_bytes = 0;
  std::size_t arg_count = 0;

  const core::ArgBinding* of(int thread, bool counts) const {
    const int set = counts ? thread : threads + thread;
    return args.data() + static_cast<std::size_t>(set) * arg_count;
  }
  /// Where a thread's partial result is.
  std::byte* partial(const GlobalArg& reduction, int set) const {
    return blocks.get() + static_cast<std::size_t>(set) * block_bytes + reduction.offset;
  }
};

/// Binds dats, maps, indices and blocks; globals that are read come with each call.
/// @param some_do_not_count  the step has iterations that take no part in its reductions
StepBindings bind(const Step& step, int threads, bool some_do_not_count);

/// Binds the globals of a call and sets partial results to their start.
void bind_globals(const Step& step, core::Queue& queue, StepBindings& bindings);

/// Folds what the threads have found into the first one's block. @return its value
std::byte* fold_threads(const StepBindings& bindings, const GlobalArg& reduction);

/// Gives the global of an assignment its value.
void run_assignment(const core::LoopRecord& record, core::Queue& queue);

}  // namespace op2::sched
