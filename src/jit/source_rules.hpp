// SPDX-License-Identifier: BSD-3-Clause
// What the source of a kernel should not contain although a compiler accepts it: the messages,
// which are the same for all targets.
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

/// A warning on a CPU, an error on a GPU; there a warning in a part that conditions of the
/// preprocessor may exclude, as long as the compiler accepts the source.
inline constexpr const char* has_assembly =
    "inline assembly: it is for one kind of processor only; write the operation in C++";

inline constexpr const char* allocates =
    "a kernel must not allocate or free memory: new, delete; use local arrays of fixed size";

inline constexpr const char* is_virtual =
    "kernels compiled at run time do not support virtual functions; use a template or a condition";

inline std::string redefines(std::string_view function) {
  return fmt::format(
      "the source redefines a function of the library: '{}', which compilers take to be that of "
      "the library; rename it",
      function);
}

}  // namespace op2::jit
