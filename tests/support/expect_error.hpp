// SPDX-License-Identifier: BSD-3-Clause
// Expecting an op2::Error by its code and words.
#pragma once

#include <string>

#include <gmock/gmock.h>

#include <op2/error.hpp>

namespace op2::test {

/// Calls `action`, which must throw an Error with this code; returns its text for further checks.
template <class Action>
std::string error_text(ErrorCode code, Action action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(static_cast<int>(error.code()), static_cast<int>(code)) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error was thrown";
  return {};
}

}  // namespace op2::test
