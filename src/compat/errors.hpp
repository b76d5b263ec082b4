// SPDX-License-Identifier: BSD-3-Clause
// Errors of programs that cannot catch them: they end the program.
#pragma once

#include <op2/error.hpp>

namespace op2::compat {

/// Logs the error and ends the program with exit code 1.
[[noreturn]] void end_program(const Error& error);

/// What `action` yields.
template <class Action>
auto guarded(const Action& action) -> decltype(action()) {
  try {
    return action();
  } catch (const Error& error) {
    end_program(error);
  }
}

}  // namespace op2::compat
