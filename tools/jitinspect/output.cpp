// SPDX-License-Identifier: BSD-3-Clause
#include "output.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <core/text.hpp>
#include <core/value_type.hpp>

namespace op2::jitinspect {

std::string size_words(std::int64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  if (bytes < 1'000'000) return fmt::format("{:.1f} kB", bytes * 1e-3);
  return fmt::format("{:.1f} MB", bytes * 1e-6);
}

std::string age_words(std::int64_t then) {
  const std::int64_t age = std::max<std::int64_t>(0, std::time(nullptr) - then);
  if (age < 120) return fmt::format("{} s", age);
  if (age < 2 * 3600) return fmt::format("{} min", age / 60);
  if (age < 48 * 3600) return fmt::format("{} h", age / 3600);
  return fmt::format("{} d", age / (24 * 3600));
}

std::string date_words(std::int64_t then) {
  const std::time_t time = then;
  std::tm date{};
  if (gmtime_r(&time, &date) == nullptr) return fmt::format("{} s since 1970", then);
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", date);
}

std::string argument_words(std::string_view arguments) {
  constexpr auto& modes = core::access_words;
  std::array<int, modes.size()> counts{};
  for (const std::string& line : split(arguments, '\n')) {
    if (line.starts_with("kernel ")) continue;  // how it uses the arguments
    const std::vector<std::string> words = split(line, ' ');
    for (std::size_t mode = 0; mode < modes.size(); ++mode)
      counts[mode] += std::ranges::count(words, modes[mode]) != 0;
  }
  std::string text;
  for (std::size_t mode = 0; mode < modes.size(); ++mode)
    if (counts[mode] != 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[mode], modes[mode]);
  return text.empty() ? "-" : text;
}

std::string printable(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    const bool steers = (static_cast<unsigned char>(c) < 32 && c != '\n' && c != '\t') || c == 127;
    if (steers) c = '?';
  }
  return result;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) parts.emplace_back(core::next_part(text, separator));
  return parts;
}

void print_json(const Json& document) {
  fmt::print("{}\n", document.dump(2, ' ', false, Json::error_handler_t::replace));
}

namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

std::size_t width_of_terminal() {
  const std::string_view asked = variable("COLUMNS");
  std::size_t columns = 0;
  const auto [end, problem] = std::from_chars(asked.data(), asked.data() + asked.size(), columns);
  if (problem == std::errc() && end == asked.data() + asked.size() && columns > 0) return columns;
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/// Of each style, the parameter of the escape sequence SGR.
constexpr std::array codes{"0", "1", "33", "32", "31"};

}  // namespace

Terminal terminal() {
  if (isatty(STDOUT_FILENO) == 0) return {};
  const std::string_view type = variable("TERM");
  return {.present = true,
          .width = width_of_terminal(),
          .colours = variable("NO_COLOR").empty() && !type.empty() && type != "dumb"};
}

std::string painted(Style style, std::string_view text) {
  if (style == Style::plain || !terminal().colours) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", codes.at(static_cast<std::size_t>(style)), text);
}

namespace {

constexpr std::size_t gap = 2;  ///< spaces between columns

bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;  // of UTF-8
}

std::size_t width_of(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, continues_character));
}

/// The bytes of the first `count` characters.
std::size_t bytes_of(std::string_view text, std::size_t count) {
  std::size_t end = 0;
  for (; end < text.size(); ++end)
    if (!continues_character(text[end]) && count-- == 0) break;
  return end;
}

/// The text in at most `width` characters: what is too much is taken out of its middle, where names
/// of fused loops say least.
std::string shortened(std::string_view text, std::size_t width) {
  constexpr std::string_view dots = "...";
  const std::size_t all = width_of(text);
  if (all <= width) return std::string(text);
  if (width <= dots.size()) return std::string(text.substr(0, bytes_of(text, width)));
  const std::size_t kept = width - dots.size();
  const std::size_t head = bytes_of(text, kept - kept / 2);
  const std::size_t tail = bytes_of(text, all - kept / 2);
  return fmt::format("{}{}{}", text.substr(0, head), dots, text.substr(tail));
}

/// What is written of a column.
struct Shown {
  std::size_t column;
  std::size_t width;
  std::size_t least;  ///< the least width
};

std::vector<Shown> whole(const Table& table) {
  std::vector<Shown> shown;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    std::size_t width = width_of(column.heading);
    for (const auto& row : table.rows) width = std::max(width, width_of(row[i]));
    const std::size_t least = std::max(column.least, width_of(column.heading));
    shown.push_back({i, width, column.least == 0 ? width : std::min(width, least)});
  }
  return shown;
}

std::size_t total(const std::vector<Shown>& shown, std::size_t Shown::* width) {
  std::size_t sum = 0;
  for (const Shown& shown_column : shown) sum += shown_column.*width + (sum == 0 ? 0 : gap);
  return sum;
}

/// Leaves out columns until the least widths fit. @return their headings
std::vector<std::string> leave_out(const Table& table, std::vector<Shown>& shown,
                                   std::size_t width) {
  std::vector<std::string> missing;
  const auto order = [&](const Shown& shown_column) {
    const int leaves = table.columns[shown_column.column].leaves;
    return leaves == 0 ? 1'000'000 : leaves;
  };
  while (total(shown, &Shown::least) > width) {
    const auto next = std::ranges::min_element(shown, {}, order);
    if (table.columns[next->column].leaves == 0) break;
    missing.push_back(table.columns[next->column].heading);
    shown.erase(next);
  }
  return missing;
}

/// Takes from the widest columns what is too much.
void shrink(std::vector<Shown>& shown, std::size_t width) {
  for (std::size_t sum = total(shown, &Shown::width); sum > width; --sum) {
    const auto widest = std::ranges::max_element(shown, {}, [](const Shown& shown_column) {
      return shown_column.width > shown_column.least ? shown_column.width : 0;
    });
    if (widest->width == widest->least) return;
    --widest->width;
  }
}

std::string padded(const std::string& text, const Shown& shown, bool number) {
  const std::string fitting = shortened(text, shown.width);
  const std::string blanks(shown.width - width_of(fitting), ' ');
  return number ? blanks + fitting : fitting + blanks;
}

void print_line(const Table& table, const std::vector<Shown>& shown, const auto& text_of) {
  std::string line;
  std::size_t blanks = 0;  // before the next text: no line ends with blanks
  for (const Shown& shown_column : shown) {
    const Column& column = table.columns[shown_column.column];
    const auto [text, style] = text_of(column, shown_column.column);
    const std::string field = padded(text, shown_column, column.number);
    const std::size_t end = field.find_last_not_of(' ') + 1;
    if (end > 0) line += std::string(blanks, ' ') + painted(style, field.substr(0, end));
    blanks = (end > 0 ? 0 : blanks) + field.size() - end + gap;
  }
  fmt::print("{}\n", line);
}

}  // namespace

void print_table(const Table& table) {
  const std::size_t width = terminal().width;
  std::vector<Shown> shown = whole(table);
  std::vector<std::string> missing;
  if (width > 0) {
    missing = leave_out(table, shown, width);
    shrink(shown, width);
  }
  using Text = std::pair<std::string, Style>;
  print_line(table, shown, [](const Column& column, std::size_t) {
    return Text(column.heading, Style::heading);
  });
  for (const auto& row : table.rows)
    print_line(table, shown,
               [&](const Column& column, std::size_t i) { return Text(row[i], column.style); });
  if (!missing.empty())
    fmt::print("not shown in {} columns: {}\n", width, fmt::join(missing, ", "));
}

}  // namespace op2::jitinspect
