// SPDX-License-Identifier: BSD-3-Clause
// Small texts: numbers of things, fields of CSV files, words compared without case. Header only:
// the JIT plug-in uses it too.
#pragma once

#include <algorithm>
#include <cctype>
#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace op2::core {

/// "1 loop", "2 loops".
std::string counted(std::integral auto number, const char* singular) {
  return std::to_string(number) + " " + singular + (number == 1 ? "" : "s");
}

/// The text as one field, whatever characters it has: in quotes, and quotes inside are doubled.
inline std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

/// The text with the capital letters of the C locale in lower case.
inline std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// The text without spaces around it.
inline std::string_view trimmed(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of(' '), word.size()));
  return word.substr(0, word.find_last_not_of(' ') + 1);
}

/// The parts of a comma-separated list without spaces around them; nothing for "none".
inline std::vector<std::string> words_of(std::string_view list) {
  std::vector<std::string> words;
  if (list == "none") return words;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    words.emplace_back(trimmed(list.substr(0, comma)));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return words;
}

}  // namespace op2::core
