// SPDX-License-Identifier: BSD-3-Clause
#include <sched/rounding.hpp>

#include <algorithm>
#include <cfenv>
#include <initializer_list>
#include <limits>

#include <core/error.hpp>
#include <sched/loop_requests.hpp>

namespace op2::sched {
namespace {

/// The mode in which this thread adds: FE_TONEAREST ... On x86-64 the C library tells that of long
/// double instead, which need not be the same; on AArch64 there is one mode of all.
int rounding_of_sums() {
  // Volatile: to be computed now, by this thread.
  const volatile double one = 1, minus_one = -1, little = 0x1p-60;
  if (one + little > one) return FE_UPWARD;
  if (minus_one - little < minus_one) return FE_DOWNWARD;
  return one - little < one ? FE_TOWARDZERO : FE_TONEAREST;
}

const char* name_of_rounding(int mode) {
  switch (mode) {
    case FE_UPWARD:
      return "it rounds upwards";
    case FE_DOWNWARD:
      return "it rounds downwards";
    case FE_TOWARDZERO:
      return "it rounds towards zero";
    default:
      return nullptr;
  }
}

/// What makes the calling thread round in another way than to nearest, denormal numbers included:
/// "it rounds upwards", "it takes denormal numbers for zero" ...; null: nothing. Local.
/// Cost: some 10 ns.
const char* other_rounding() {
  for (const int mode : {rounding_of_sums(), std::fegetround()})
    if (mode != FE_TONEAREST) return name_of_rounding(mode);
  // Volatile: as above.
  const volatile double least_normal = std::numeric_limits<double>::min(), half = 0.5;
  const volatile double denormal = std::numeric_limits<double>::denorm_min(), large = 0x1p1000;
  if (denormal * large == 0) return "it takes denormal numbers for zero";
  if (least_normal * half == 0) return "it replaces denormal results by zero";
  return nullptr;
}

}  // namespace

void let_workers_round_to_nearest(core::ThreadPool& pool) {
  pool.run(
      [](void*, int thread) noexcept {
        if (thread > 0) std::fesetenv(FE_DFL_ENV);
      },
      nullptr);
}

void let_workers_trap(core::ThreadPool& pool, int& known) {
  const int traps = float_traps();
  if (traps == known) return;
  known = traps;
  pool.run(
      [](void* wanted, int thread) noexcept {
        if (thread == 0) return;
        feclearexcept(FE_ALL_EXCEPT);  // what has been raised before must not trap now
        fedisableexcept(FE_ALL_EXCEPT & ~*static_cast<int*>(wanted));
        feenableexcept(*static_cast<int*>(wanted));
      },
      &known);
}

void check_rounding(const core::Queue& queue) {
  const char* const other = other_rounding();
  const auto loop = std::ranges::find_if_not(queue.records(), &core::LoopRecord::is_assignment);
  if (other == nullptr || loop == queue.records().end()) return;
  core::fail(
      ErrorCode::bad_option,
      "OP2_REPRODUCIBLE=on needs rounding to nearest, with denormal numbers, but the program "
      "has changed that for this thread: {}; before loop '{}' ({}) runs, call "
      "fesetenv(FE_DFL_ENV), which also ends traps; link without -ffast-math",
      other, loop->name, site_of(*loop));
}

}  // namespace op2::sched
