// SPDX-License-Identifier: BSD-3-Clause
// What the engine does when the memory of a device is short.
#include <sched/engine.hpp>

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include <comm/halo/distributed_mesh.hpp>
#include <comm/messages/agreement.hpp>
#include <sched/shared_flags.hpp>

namespace op2::sched {

/// A device may have no memory for it. On several ranks those that have the code would go on.
Code Engine::find_code(const core::Queue& queue, LoopRequests& loops, const Steps& steps,
                       Wait wait) {
  try {
    return code_.find(queue, loops, steps, wait);
  } catch (const Error& error) {
    intact_ = error.code() == ErrorCode::out_of_memory && analysis_.halos == Halos::none;
    throw;
  }
}

/// If memory is short on any rank, all ranks do without something, and in the end all throw.
bool Engine::prepare_in_own_memory(Entry& entry, bool repeats) {
  std::optional<Error> failure;
  std::vector<std::size_t> lopsided;  // steps, of any rank
  if (try_to_prepare(entry, repeats, failure, lopsided) ||
      (free_prepared() && try_to_prepare(entry, repeats, failure, lopsided))) {
    if (lopsided.empty() || !code_.may_stop_gathering()) return true;
    stop_gathering(entry, lopsided);
    return false;
  }
  executing_ = false;
  if (std::ranges::any_of(entry.plan->steps.all, &Step::gathers) && code_.may_stop_gathering()) {
    stop_gathering(failure ? &*failure : nullptr);
    return false;
  }
  intact_ = true;
  comm::throw_together(rows_.communicator(), failure);
  return false;
}

/// @param failure   of this rank
/// @param lopsided  steps with too many increments of one row on any rank
/// @return whether all ranks have succeeded
bool Engine::try_to_prepare(Entry& entry, bool repeats, std::optional<Error>& failure,
                            std::vector<std::size_t>& lopsided) {
  failure.reset();
  std::vector<char> flags(1 + entry.plan->steps.all.size(), 0);
  try {
    entry.prepared = executor_->prepare(*entry.plan, repeats);
    for (const std::size_t s : entry.prepared->lopsided_steps()) flags[1 + s] = 1;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_memory) throw;
    failure = error;
    flags[0] = 1;
  }
  combine_flags(flags, rows_.communicator(), "comparing whether loops have memory");
  if (flags[0] == 0) {
    for (std::size_t s = 0; s + 1 < flags.size(); ++s)
      if (flags[1 + s] != 0) lopsided.push_back(s);
    return true;
  }
  entry.prepared.reset();
  rows_.communicator().align_channels();
  return false;
}

/// What was prepared for other plans is prepared again when they run. @return whether there was any
bool Engine::free_prepared() {
  bool any = false;
  for (auto& [hash, entry] : plans_) {
    if (entry.prepared == nullptr) continue;
    entry.prepared.reset();
    entry.executions = 0;
    any = true;
  }
  executor_->forget_rows();
  if (any)
    log_.warning_once("prepared sequences",
                      "memory of devices is short: what was prepared for other sequences of loops "
                      "was freed, and is prepared again when they run; use more devices or a "
                      "smaller mesh");
  return any;
}

/// @param steps  of the plan, whose loops are separate kernels from now on
void Engine::stop_gathering(const Entry& entry, const std::vector<std::size_t>& steps) {
  for (const std::size_t s : steps) code_.stop_gathering(entry.plan->steps.all[s]);
  executing_ = false;
  forget_plans();
}

/// @param mine  the error of this rank; null: others have one
void Engine::stop_gathering(const Error* mine) {
  log_.warning_once(
      "gathering",
      fmt::format("memory of devices is short: from now on loops that add through maps and those "
                  "that use the sums are separate kernels, which takes longer but needs no "
                  "second buffers, as with OP2_DEBUG=no_fuse{}{}",
                  mine != nullptr ? ": " : " (another rank)", mine != nullptr ? mine->what() : ""));
  code_.stop_gathering();
  forget_plans();
}

void Engine::forget_plans() {
  plans_.clear();
  executor_->forget_rows();
}

}  // namespace op2::sched
