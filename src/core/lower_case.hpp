// SPDX-License-Identifier: BSD-3-Clause
// Words that people type, compared without case.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>

namespace op2::core {

/// The text with the capital letters of the C locale in lower case.
inline std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace op2::core
