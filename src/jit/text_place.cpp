// SPDX-License-Identifier: BSD-3-Clause
#include <jit/text_place.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>

namespace op2::jit {
namespace {

std::string_view line_of(std::string_view text, int line) {
  for (; line > 1; --line) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

int line_at(std::string_view text, std::size_t offset) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + offset, '\n'));
}

int column_at(std::string_view text, std::size_t offset) {
  const auto begin = text.rfind('\n', offset == 0 ? 0 : offset - 1);
  return static_cast<int>(begin == std::string_view::npos || offset == 0 ? offset + 1
                                                                         : offset - begin);
}

/// The text as it is written in an ordinary string literal.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

/// Offset of the occurrence whose line is nearest to `line`, before others at the same distance.
std::size_t find_nearest(std::string_view content, std::string_view wanted, int line) {
  std::size_t best = std::string_view::npos;
  int best_distance = 0;
  for (auto at = content.find(wanted); at != std::string_view::npos;
       at = content.find(wanted, at + 1)) {
    const int distance = std::abs(line_at(content, at) - line);
    if (best != std::string_view::npos && distance >= best_distance) continue;
    best = at;
    best_distance = distance;
  }
  return best;
}

}  // namespace

TextPlaces::TextPlaces(const op_kernel_core& kernel) : kernel_(kernel) {
  if (kernel.text_is_file || kernel.file == nullptr) return;
  std::ifstream file(kernel.file, std::ios::binary);
  if (file) content_.assign(std::istreambuf_iterator<char>(file), {});
}

std::optional<Place> TextPlaces::find(int line, int column) const {
  if (kernel_.text_is_file) return Place{kernel_.file, line, column};
  if (content_.empty()) return {};
  if (auto place = find_in_literal(line, column)) return place;
  return find_line(line, column);
}

/// The whole text as it is: a raw string literal.
std::optional<Place> TextPlaces::find_in_literal(int line, int column) const {
  const std::size_t begin = find_nearest(content_, kernel_.source, kernel_.line);
  if (begin == std::string::npos) return {};
  const int indent = line == 1 ? column_at(content_, begin) - 1 : 0;
  return Place{kernel_.file, line_at(content_, begin) + line - 1, column + indent};
}

/// The line alone: ordinary literals, one per line.
std::optional<Place> TextPlaces::find_line(int line, int column) const {
  std::string_view wanted = line_of(kernel_.source, line);
  const auto indent = std::min(wanted.find_first_not_of(" \t"), wanted.size());
  wanted.remove_prefix(indent);
  const auto size = wanted.find_last_not_of(" \t\r") + 1;
  wanted = wanted.substr(0, size);
  if (wanted.size() < 3 || column <= static_cast<int>(indent)) return {};
  const std::size_t at = find_nearest(content_, escaped(wanted), kernel_.line);
  if (at == std::string::npos) return {};
  const auto before = escaped(wanted.substr(0, column - 1 - indent));
  return Place{kernel_.file, line_at(content_, at),
               column_at(content_, at) + static_cast<int>(before.size())};
}

}  // namespace op2::jit
