// SPDX-License-Identifier: BSD-3-Clause
// The function that is launched if rows gather what elements add to them: op2_pull.
#pragma once

#include <string>

#include <jit/loop_nest.hpp>

namespace op2::jit {

/// Precondition: `can_pull`.
std::string pull_kernel(const LoopNest& nest);

}  // namespace op2::jit
