// SPDX-License-Identifier: BSD-3-Clause
#include "table.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace op2::jitinspect {

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

std::size_t total(const std::vector<Shown>& shown, std::size_t Shown::*width) {
  std::size_t sum = 0;
  for (const Shown& each : shown) sum += each.*width + (sum == 0 ? 0 : gap);
  return sum;
}

/// Leaves out columns until the least widths fit. @return their headings
std::vector<std::string> leave_out(const Table& table, std::vector<Shown>& shown,
                                   std::size_t width) {
  std::vector<std::string> missing;
  const auto order = [&](const Shown& each) {
    const int leaves = table.columns[each.column].leaves;
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
    const auto widest = std::ranges::max_element(
        shown, {}, [](const Shown& each) { return each.width > each.least ? each.width : 0; });
    if (widest->width == widest->least) return;
    --widest->width;
  }
}

std::string padded(const std::string& text, const Shown& shown, bool number) {
  const std::string fitting = shortened(text, shown.width);
  const std::string blanks(shown.width - width_of(fitting), ' ');
  return number ? blanks + fitting : fitting + blanks;
}

template <class Text>
void print_line(const Table& table, const std::vector<Shown>& shown, Text text_of) {
  std::string line;
  std::size_t blanks = 0;  // before the next text: no line ends with blanks
  for (const Shown& each : shown) {
    const Column& column = table.columns[each.column];
    const auto [text, style] = text_of(column, each.column);
    const std::string field = padded(text, each, column.number);
    const std::size_t end = field.find_last_not_of(' ') + 1;
    if (end > 0) line += std::string(blanks, ' ') + painted(style, field.substr(0, end));
    blanks = (end > 0 ? 0 : blanks) + field.size() - end + gap;
  }
  fmt::print("{}\n", line);
}

}  // namespace

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
