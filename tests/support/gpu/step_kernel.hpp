// SPDX-License-Identifier: BSD-3-Clause
// The iterations of a step in one phase, as a kernel of an emulated device: the CPU's code on the
// device's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <sched/executor/bindings.hpp>
#include <sched/plan.hpp>

namespace op2::test::gpu {

/// What a launch needs. All addresses are the device's.
struct StepKernel {
  const sched::Step* step;
  const sched::StepCode* code;
  std::vector<core::ArgBinding> args;          ///< but for reductions
  std::byte* partials;                         ///< of iterations that count, and of the others
  std::span<const std::int32_t> global_index;  ///< of each local row; may be empty
  sched::IndexRanges rows;                     ///< in this order
  std::int64_t owned;                          ///< rows from here on do not count

  void run() const;

 private:
  sched::StepBindings bind_partials() const;
  void run_rows(const sched::StepBindings& bindings, sched::IndexRange range, bool counts) const;
};

}  // namespace op2::test::gpu
