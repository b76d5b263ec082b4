// SPDX-License-Identifier: BSD-3-Clause
// How results are written for people and for programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace op2::jitinspect {

using Json = nlohmann::ordered_json;

/// "999 B", "61.2 kB", "1.3 MB"
std::string size_words(std::int64_t bytes);

/// "40 s", "5 min", "3 h", "12 d" since `then`, in seconds since 1970.
std::string age_words(std::int64_t then);

/// "2026-01-31 12:00:00 UTC"
std::string date_words(std::int64_t then);

/// "2 read, 4 inc": how many arguments there are of every access.
std::string argument_words(std::string_view arguments);

/// The text without characters that steer a terminal.
std::string printable(std::string_view text);

std::vector<std::string> split(std::string_view text, char separator);

/// Writes the document; bytes that are not UTF-8 are replaced.
void print_json(const Json& document);

/// A pipe or file has neither width nor colours: what programs read stays whole.
struct Terminal {
  bool present = false;
  std::size_t width = 0;  ///< columns; 0: unlimited
  bool colours = false;
};

/// Standard output. COLUMNS overrides the width that the terminal reports; NO_COLOR (not empty)
/// and TERM=dumb ask for no colours.
Terminal terminal();

enum class Style { plain, heading, key, good, bad };

/// The text in its colour, if standard output shows colours.
std::string painted(Style style, std::string_view text);

struct Column {
  std::string heading;
  bool number = false;    ///< at the right
  std::size_t least = 0;  ///< characters that a long text is shortened to; 0: never shortened
  int leaves = 0;         ///< the lowest number is left out first; 0: never
  Style style = Style::plain;
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  ///< a text per column
};

/// Writes heading and rows to standard output. On a terminal, long texts are shortened, then
/// columns are left out, and named below, until lines fit; elsewhere the table is whole.
void print_table(const Table& table);

}  // namespace op2::jitinspect
