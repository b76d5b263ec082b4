// SPDX-License-Identifier: BSD-3-Clause
#include <sched/rounding.hpp>

#include <algorithm>

#include <core/error.hpp>
#include <core/float_environment.hpp>
#include <sched/loop_requests.hpp>

namespace op2::sched {

void let_workers_round_to_nearest(core::ThreadPool& pool) {
  pool.run(
      [](void*, int thread) noexcept {
        if (thread > 0) core::round_to_nearest();
      },
      nullptr);
}

void let_workers_trap(core::ThreadPool& pool, int& known) {
  const int traps = core::float_traps();
  if (traps == known) return;
  known = traps;
  pool.run(
      [](void* wanted, int thread) noexcept {
        if (thread > 0) core::set_float_traps(*static_cast<int*>(wanted));
      },
      &known);
}

void check_rounding(const core::Queue& queue) {
  const char* const other = core::other_rounding();
  const auto loop = std::ranges::find_if_not(queue.records(), &core::LoopRecord::is_assignment);
  if (other == nullptr || loop == queue.records().end()) return;
  core::fail(
      ErrorCode::bad_option,
      "OP2_REPRODUCIBLE=on needs rounding to nearest, with denormal numbers, but the program "
      "has changed that for this thread: {}; before loop '{}' ({}) runs, call "
      "fesetround(FE_TONEAREST), _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_OFF) and "
      "_MM_SET_DENORMALS_ZERO_MODE(_MM_DENORMALS_ZERO_OFF); link without -ffast-math",
      other, loop->name, site_of(*loop));
}

}  // namespace op2::sched
