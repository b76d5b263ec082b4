// SPDX-License-Identifier: BSD-3-Clause
// Prepares plans for one GPU and runs them: loops are queued on one stream, without a wait between
// them; what the device cannot run, the host runs in between. Dats stay on the device until the
// program asks for them.
#pragma once

#include <memory>

#include <sched/executor/executor.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// From now on the mesh has copies on the device; the executor downloads all dats in the end.
/// @param resources  have a device; all of them outlive the executor and its prepared plans
/// @throws Error out_of_memory, device_failure
std::unique_ptr<Executor> make_gpu_executor(const Resources& resources);

/// Whether a step must run after an earlier one: they access the same dat, and not only to
/// increment it through maps, which commutes if both do it atomically.
bool must_follow(const Step& later, const Step& earlier, bool atomic);

}  // namespace op2::sched
