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
  if (try_to_prepare(entry, repeats, failure)) return true;
  if (free_prepared() && try_to_prepare(entry, repeats, failure)) return true;
  executing_ = false;
  if (std::ranges::any_of(entry.plan->steps.all, &Step::gathers) && code_.may_stop_gathering()) {
    stop_gathering(failure ? &*failure : nullptr);
    return false;
  }
  intact_ = true;
  comm::throw_together(rows_.communicator(), failure);
  return false;
}

/// @param failure  of this rank. @return whether all ranks have succeeded
bool Engine::try_to_prepare(Entry& entry, bool repeats, std::optional<Error>& failure) {
  failure.reset();
  try {
    entry.prepared = executor_->prepare(*entry.plan, repeats);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_memory) throw;
    failure = error;
  }
  std::vector<char> failed(1, failure ? 1 : 0);
  combine_flags(failed, rows_.communicator(), "comparing whether loops have memory");
  if (failed[0] == 0) return true;
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

/// @param mine  the error of this rank; null: others have one
void Engine::stop_gathering(const Error* mine) {
  log_.warning_once(
      "gathering",
      fmt::format("memory of devices is short: from now on loops that add through maps and those "
                  "that use the sums are separate kernels, which takes longer but needs no "
                  "second buffers, as with OP2_DEBUG=no_fuse{}{}",
                  mine != nullptr ? ": " : " (another rank)", mine != nullptr ? mine->what() : ""));
  code_.stop_gathering();
  plans_.clear();
  executor_->forget_rows();
}

}  // namespace op2::sched
