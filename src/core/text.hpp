// SPDX-License-Identifier: BSD-3-Clause
// Small texts: numbers of things, fields of CSV files, words compared without case, and which known
// name a misspelled one may stand for; and regular files of text. The JIT plug-in uses the inline
// functions, too.
#pragma once

#include <algorithm>
#include <cctype>
#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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

/// Takes the part before the first `separator`, or all, from `rest`, and the separator with it.
inline std::string_view next_part(std::string_view& rest, char separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

/// The parts of a comma-separated list without spaces around them; nothing for "none".
inline std::vector<std::string> words_of(std::string_view list) {
  std::vector<std::string> words;
  if (list == "none") return words;
  while (!list.empty()) words.emplace_back(trimmed(next_part(list, ',')));
  return words;
}

/// "; did you mean 'gam'?": the nearest known name by edits of single characters. Nothing if it
/// differs in more than two of them, or, of longer names, in more than a third, or if no character
/// would be left of the unknown one.
std::string did_you_mean(std::string_view unknown, std::span<const std::string> known);

/// Of a name that is not known, but begins with `prefix`, or is known but for capitals and at most
/// one character: did_you_mean. Nothing for all others.
std::optional<std::string> misspelled(std::string_view prefix, std::string_view name,
                                      std::span<const std::string> known);

/// Opens a file without waiting for another process, as a FIFO would. A regular file on which
/// another process has a lease is waited for: the system takes the lease away after a time limit.
/// @param flags  O_RDONLY, O_WRONLY or O_RDWR
/// @return       a descriptor; negative with the reason in errno
int open_at_once(const char* path, int flags);

/// The content of a file; nothing if it cannot be read (`why_unreadable` has the reason) or is not
/// a regular file: reading a FIFO or a device might wait for ever.
/// @param most_bytes  nothing also of longer files; then errno is EFBIG
std::optional<std::string> read_file(const char* path, std::size_t most_bytes = std::string::npos);

/// Why `read_file` has just failed, as text; to be called before errno changes.
std::string why_unreadable(const char* path);

/// What is at a path, if anything but a regular file: "a folder", "a FIFO", "a device", "a socket".
/// Null for regular files and if nothing is there.
const char* kind_if_irregular(const char* path);

/// What `text_of` gives for each value, with the separator between: joined(calls, &Call::name,
/// "+"). (clang 14 does not compile std::views with the standard library of g++ 12.)
template <class Range, class TextOf>
std::string joined(const Range& values, TextOf text_of, std::string_view separator) {
  std::string all;
  bool is_first = true;
  for (const auto& value : values) {
    if (!std::exchange(is_first, false)) all += separator;
    all += std::invoke(text_of, value);
  }
  return all;
}

}  // namespace op2::core
