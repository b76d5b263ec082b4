// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "files.hpp"

namespace op2::model {

/// The message of the failure that the action throws; empty if it throws none.
inline std::string failure_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Failure& failure) {
    return failure.what();
  }
  return "";
}

}  // namespace op2::model
