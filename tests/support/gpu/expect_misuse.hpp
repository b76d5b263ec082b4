// SPDX-License-Identifier: BSD-3-Clause
// Expecting that an emulated device finds a mistake.
#pragma once

#include <string>

#include <gmock/gmock.h>

#include "findings.hpp"

namespace op2::test::gpu {

/// Calls `action`, in which a device must find a mistake; returns what it says.
template <class Action>
std::string misuse(Action action) {
  try {
    action();
  } catch (const Misuse& found) {
    return found.what();
  }
  ADD_FAILURE() << "no mistake was found";
  return {};
}

}  // namespace op2::test::gpu
