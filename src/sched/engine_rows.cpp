// SPDX-License-Identifier: BSD-3-Clause
// What the engine does when rows get another order, or halos grow.
#include <sched/engine.hpp>

#include <algorithm>
#include <utility>

#include <comm/halo/distributed_mesh.hpp>
#include <core/progress.hpp>
#include <sched/add_seconds.hpp>

namespace op2::sched {
namespace {

/// Of all loops that have an interior.
core::Level deepest_interior_of(const Analysis& analysis) {
  core::Level deepest = 0;
  for (const LoopLevels& loop : analysis.loops)
    if (loop.interior != core::no_level) deepest = std::min(deepest, loop.interior);
  return deepest;
}

}  // namespace

/// @return whether rows have another order now
bool Engine::distinguish_rows(const Analysis& analysis) {
  const AddSeconds once(rows_.communicator(), times_.once);
  return rows_.distinguish(deepest_interior_of(analysis));
}

void Engine::ensure_rows(core::Level level) {
  const AddSeconds once(rows_.communicator(), times_.once);
  const core::Progress progress(log_, "ordering rows for locality and halos");
  rows_.ensure_rows(level);
}

/// If rows have moved, bindings to them are invalid.
void Engine::follow_rows() {
  const int bound = std::exchange(epoch_, rows_.epoch());
  if (bound == epoch_ || bound == unbound) return;
  plans_.clear();
  executor_->forget_rows();
}

void Engine::forget_halos() {
  forget_levels();
  if (policy_ != nullptr) policy_->forget();
}

/// The owned rows of each set are in another order; what a policy knows of sequences stays true.
void Engine::forget_levels() {
  plans_.clear();
  executor_->forget_rows();
  epoch_ = unbound;
  for (core::Level& level : valid_) level = std::min(level, 0);
}

}  // namespace op2::sched
