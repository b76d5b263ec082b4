// SPDX-License-Identifier: BSD-3-Clause
// Errors of programs that cannot catch them: they end the program. And the type strings of programs
// for OP2's own headers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <op2/error.hpp>
#include <op2/types.hpp>

#include <api/session.hpp>
#include <core/error.hpp>
#include <core/validate.hpp>
#include <core/value_type.hpp>

namespace op2::compat {

/// Logs the error, calls the error handler if there is one, and ends the job: on one rank with exit
/// code 1, on several with that of `Runtime::end_job`. What was printed is flushed; neither
/// destructors nor functions of `atexit` run.
[[noreturn]] void end_program(const Error& error);

/// Ends the program because it called a function of OP2 that the library does not support.
/// @param instead  why, and what to do
[[noreturn]] void not_supported(const char* function, const char* instead);

/// What `action` yields; ends the program if it throws.
template <class Action>
auto guarded(const Action& action) -> decltype(action()) {
  try {
    return action();
  } catch (...) {
    end_program(*core::error_of("a call of OP2", [] { throw; }));
  }
}

/// The result of `action(session)`.
/// @param caller  for the message that there is no session
template <class Action>
auto in_session(const Action& action, const char* caller = __builtin_FUNCTION()) {
  return guarded([&] { return action(api::usable(caller)); });
}

/// The type that a string names, if any.
inline std::optional<Type> type_named(std::string_view text) {
  const auto named = core::op2_type_named(text);
  return named ? named : core::type_named(core::without_soa(text));
}

/// The type that a string names.
/// @param place  "dat 'q'", for the message
/// @throws Error bad_type: null or unknown
inline Type type_of(const std::string& place, const char* type) {
  if (type == nullptr) return core::check_type_name(place, type);
  if (const auto known = type_named(type)) return *known;
  return core::check_type_name(place, std::string(core::without_soa(type)).c_str());
}

/// A string for a message; null is allowed.
inline const char* shown(const char* text) {
  return text == nullptr ? "" : text;
}

}  // namespace op2::compat
