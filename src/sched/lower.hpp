// SPDX-License-Identifier: BSD-3-Clause
// From queued arguments to what the code generator and the thread planner need of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <core/loop_record.hpp>
#include <jit/jit.hpp>
#include <jit/loop_nest.hpp>
#include <sched/thread_plan.hpp>

namespace op2::sched {

/// Numbers dats and maps within the loop, in order of first appearance.
std::vector<jit::ArgShape> arg_shapes(std::span<const core::LoopArg> args);

/// The arguments, as they are counted in the call, that may be off in other calls.
std::vector<std::int32_t> optional_args(std::span<const core::LoopArg> args);

/// All declared constants and all variables that texts of functions name, for the code that names
/// them.
std::vector<jit::Constant> constants_of(const core::Mesh& mesh);

/// A kernel as a nest calls it, without arguments. Cost: as jit::call_of.
jit::KernelCall call_of(const core::Mesh& mesh, op_kernel kernel);

/// The nest of one loop. @param call  made by `call_of`
jit::LoopNest nest_of(jit::KernelCall call, std::span<const core::LoopArg> args);

/// A way by which a loop reaches rows of a dat.
struct Reach {
  const core::Map* map;  ///< null: directly
  int column;
  auto operator<=>(const Reach&) const = default;
};

/// A dat that a loop modifies and reaches through maps, so that iterations may meet in its rows.
struct SharedDat {
  const op_set_core* set;
  std::vector<Reach> reaches;  ///< sorted, without repetition; of all its arguments
  bool only_increments;        ///< all of them OP_INC through maps: any order of iterations will do
  auto operator<=>(const SharedDat&) const = default;
};

/// What decides how a loop may be shared among threads.
struct ConflictPattern {
  const op_set_core* set;
  std::vector<SharedDat> dats;  ///< sorted, without repetition; empty: iterations are independent
  auto operator<=>(const ConflictPattern&) const = default;
};
ConflictPattern conflict_pattern(const op_set_core* set, std::span<const core::LoopArg> args);

/// Whether iterations read rows that others modify through a map, other than by increments alone.
bool reads_shared_rows(std::span<const core::LoopArg> args);

/// Whether a global gets the value of one element: the iterations then run in the order of their
/// numbers.
bool sets_globals(std::span<const core::LoopArg> args);

/// Whether two of the iterations [0, end) meet in a row such that the result depends on which comes
/// first. Cost O(end * reaches).
bool meets_out_of_order(const ConflictPattern& pattern, std::int64_t end);

/// Race-free shares of `rows` for `threads` threads. Cost O(rows * reaches).
ThreadPlan plan_loop(const ConflictPattern& pattern, Range rows, int threads);

/// Useful memory traffic of one execution, in bytes: each dat once, twice if it is read and
/// written, only rows that can be reached, and each map row once.
double useful_bytes(const op_set_core* set, std::span<const core::LoopArg> args);

}  // namespace op2::sched
