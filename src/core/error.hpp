// SPDX-License-Identifier: BSD-3-Clause
// How errors are raised inside the library.
#pragma once

#include <utility>

#include <fmt/format.h>

#include <op2/error.hpp>

namespace op2::core {

/// Throws op2::Error. The message says what, where, the numbers, and what to do; the code is put
/// in front of it.
template <class... Args>
[[noreturn]] void fail(ErrorCode code, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(code, fmt::format(format, std::forward<Args>(args)...));
}

/// A condition that only a fault of the library can break.
inline void ensure(bool condition, const char* what) {
  if (!condition) fail(ErrorCode::internal, "internal fault: {}; please report it", what);
}

}  // namespace op2::core
