// SPDX-License-Identifier: BSD-3-Clause
// Numbers of things in messages. Header only: the JIT plug-in uses it too.
#pragma once

#include <concepts>
#include <string>

namespace op2::core {

/// "1 loop", "2 loops".
std::string counted(std::integral auto number, const char* singular) {
  return std::to_string(number) + " " + singular + (number == 1 ? "" : "s");
}

}  // namespace op2::core
