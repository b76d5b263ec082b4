// SPDX-License-Identifier: BSD-3-Clause
// Chooses the executor of a session. A separate file, so that tests can link another choice.
#pragma once

#include <memory>

#include <sched/executor/executor.hpp>
#include <sched/resources.hpp>

namespace op2::sched {

/// @throws Error device_failure, out_of_memory
std::unique_ptr<Executor> make_executor(const Resources& resources);

}  // namespace op2::sched
