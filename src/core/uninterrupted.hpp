// SPDX-License-Identifier: BSD-3-Clause
// Calls of the system that a signal may interrupt.
#pragma once

#include <cerrno>

namespace op2::core {

/// Repeats a call of the system while a signal interrupts it (EINTR). Returns its result.
auto uninterrupted(const auto& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

}  // namespace op2::core
