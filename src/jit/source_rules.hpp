// SPDX-License-Identifier: BSD-3-Clause
// What the source of a kernel should not contain although a compiler accepts it: the messages.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

namespace op2::jit {

/// A warning.
inline std::string keeps_state(std::string_view variable) {
  return fmt::format(
      "a kernel must not keep state: variable '{}', which several threads change at once; pass it "
      "as an argument, or make it const",
      variable);
}

/// A warning.
inline constexpr const char* has_assembly =
    "inline assembly: it is for one kind of processor only; write the operation in C++";

inline constexpr const char* allocates =
    "a kernel must not allocate or free memory: new, delete; use local arrays of fixed size";

inline constexpr const char* is_virtual =
    "kernels compiled at run time do not support virtual functions; use a template or a condition";

inline constexpr std::string_view redefines_library =
    "the source redefines a function of the library";

inline std::string redefines(std::string_view function) {
  return fmt::format("{}: '{}', which compilers take to be that of the library; rename it",
                     redefines_library, function);
}

/// Whether a message is one of the errors above.
inline bool is_source_rule(std::string_view message) {
  return message == allocates || message == is_virtual || message.starts_with(redefines_library);
}

}  // namespace op2::jit
