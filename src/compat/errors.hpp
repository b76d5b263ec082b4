// SPDX-License-Identifier: BSD-3-Clause
// Errors of programs that cannot catch them: they end the program.
#pragma once

#include <op2/error.hpp>

#include <api/session.hpp>

namespace op2::compat {

/// Logs the error, calls the error handler if there is one, and ends the job: on one rank with exit
/// code 1, on several with that of `Runtime::end_job`. What was printed is flushed; neither
/// destructors nor functions of `atexit` run.
[[noreturn]] void end_program(const Error& error);

/// Ends the program because it called a function of OP2 that the library does not support.
/// @param instead  why, and what to do
[[noreturn]] void not_supported(const char* function, const char* instead);

/// What `action` yields.
template <class Action>
auto guarded(const Action& action) -> decltype(action()) {
  try {
    return action();
  } catch (const Error& error) {
    end_program(error);
  }
}

/// The result of `action(session)`.
/// @param caller  for the message that there is no session
template <class Action>
auto in_session(const Action& action, const char* caller = __builtin_FUNCTION()) {
  return guarded([&] { return action(api::usable(caller)); });
}

}  // namespace op2::compat
