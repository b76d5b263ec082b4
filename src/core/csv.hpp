// SPDX-License-Identifier: BSD-3-Clause
// Fields of CSV files.
#pragma once

#include <string>

namespace op2::core {

/// The text as one field, whatever characters it has: in quotes, and quotes inside are doubled.
inline std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

}  // namespace op2::core
