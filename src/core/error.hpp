// SPDX-License-Identifier: BSD-3-Clause
// How errors are raised inside the library. Many files include this one, so it does not include the
// formatting library.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include <op2/error.hpp>

namespace op2::core {

/// The message of an error without the code before it.
inline std::string_view text_without_code(std::string_view what) {
  return what.substr(what.find(' ') + 1);
}

/// A value formatted for a message.
inline std::string message_part(std::string_view text) {
  return std::string(text);
}
std::string message_part(double number);
std::string message_part(std::integral auto number) {
  if constexpr (std::same_as<decltype(number), bool>)
    return number ? "true" : "false";
  else if constexpr (std::same_as<decltype(number), char>)
    return std::string(1, number);
  else
    return std::to_string(number);
}

/// A format string with exactly one "{}" per value; checked at compile time.
template <std::size_t values>
struct MessageFormat {
  std::string_view text;

  consteval MessageFormat(const char* format) : text(format) {
    std::size_t places = 0;
    for (std::size_t at = text.find("{}"); at != text.npos; at = text.find("{}", at + 2)) ++places;
    if (places != values) throw "the message needs another number of values";
  }
};

/// Throws op2::Error with the parts in place of the "{}".
[[noreturn]] void fail_with(ErrorCode code, std::string_view text,
                            std::initializer_list<std::string> parts);

/// Throws op2::Error. The message is "<what is wrong>: <object> <name>, <numbers>; <what to do>";
/// its code is put before it.
template <class... Values>
[[noreturn]] void fail(ErrorCode code, MessageFormat<sizeof...(Values)> format,
                       const Values&... values) {
  fail_with(code, format.text, {message_part(values)...});
}

/// Checks a condition that only a bug of the library can violate.
inline void ensure(bool condition, const char* what) {
  if (!condition) fail(ErrorCode::internal, "internal fault: {}; please report it", what);
}

/// The error that `action` throws, if any.
/// @param what  the operation, for messages of other exceptions than the library's
template <class Action>
std::optional<Error> error_of(const std::string& what, const Action& action) {
  try {
    action();
    return {};
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return Error(ErrorCode::out_of_memory,
                 "out of memory: " + what + "; use more machines or a smaller mesh");
  } catch (const std::exception& error) {
    return Error(ErrorCode::internal,
                 "unexpected exception: " + what + ", " + error.what() + "; please report it");
  }
}

}  // namespace op2::core
