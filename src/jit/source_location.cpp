// SPDX-License-Identifier: BSD-3-Clause
#include <jit/source_location.hpp>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <core/text.hpp>
#include <jit/source_scan.hpp>

namespace op2::jit {
namespace {

/// A line of text without the blanks around it.
struct Line {
  std::string_view content;
  std::size_t indent = 0;
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  while (!text.empty()) {
    const std::string_view line = core::next_part(text, '\n');
    const auto indent = std::min(line.find_first_not_of(" \t\r"), line.size());
    const auto content_end = line.find_last_not_of(" \t\r") + 1;
    lines.push_back({line.substr(indent, std::max(content_end, indent) - indent), indent});
  }
  return lines;
}

int line_at(std::string_view text, std::size_t offset) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + offset, '\n'));
}

int column_at(std::string_view text, std::size_t offset) {
  const auto begin = text.rfind('\n', offset == 0 ? 0 : offset - 1);
  return static_cast<int>(begin == std::string_view::npos || offset == 0 ? offset + 1
                                                                         : offset - begin);
}

/// The source as it is written in an ordinary string literal.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

/// Offsets of all lines in `content` if they follow each other from `begin` on, each in a separate
/// string literal; otherwise empty.
std::vector<std::size_t> follow(const std::vector<Line>& lines, std::string_view content,
                                std::size_t begin) {
  constexpr int most_breaks = 4;
  std::vector<std::size_t> offsets;
  for (const Line& line : lines) {
    const std::string wanted = escaped(line.content);
    const std::size_t found = content.find(wanted, begin);
    if (found == std::string_view::npos) return {};
    const auto between = content.substr(begin, found - begin);
    if (std::ranges::count(between, '\n') > most_breaks) return {};
    offsets.push_back(found);
    begin = found + wanted.size();
  }
  return offsets;
}

/// Calls visit(offset) for each occurrence of `wanted`, that on the line nearest to `line` first,
/// until it returns true.
void visit_nearest_first(std::string_view content, std::string_view wanted, int line,
                         const auto& visit) {
  std::vector<std::pair<int, std::size_t>> found;
  for (auto at = content.find(wanted); at != std::string_view::npos;
       at = content.find(wanted, at + 1)) {
    found.emplace_back(std::abs(line_at(content, at) - line), at);
  }
  std::ranges::sort(found);
  for (const auto& [distance, at] : found) {
    if (visit(at)) return;
  }
}

/// Of the tokens of a source; a part of `text`.
std::size_t offset_in(std::string_view text, std::string_view token) {
  return static_cast<std::size_t>(token.data() - text.data());
}

/// Whether the sequences agree for a while.
bool agree(Tokens a, Tokens b) {
  constexpr std::size_t enough = 3;
  const std::size_t count = std::min({enough, a.size(), b.size()});
  for (std::size_t k = 0; k < count; ++k)
    if (a[k] != b[k]) return false;
  return count > 0;
}

/// The fewest tokens to leave out on both sides, so that they agree again.
std::optional<std::pair<std::size_t, std::size_t>> distance(Tokens line, Tokens source) {
  constexpr std::size_t most = 200;
  for (std::size_t sum = 1; sum <= most; ++sum)
    for (std::size_t in_source = 0; in_source <= sum; ++in_source) {
      const std::size_t in_line = sum - in_source;
      if (in_line >= line.size() || in_source >= source.size()) continue;
      if (agree(line.subspan(in_line), source.subspan(in_source))) return {{in_line, in_source}};
    }
  return {};
}

/// For each token of a line that the preprocessor has made of a source, the token that it comes
/// from. One that comes from a macro has the token where the macro is used. Nothing for those after
/// a part that is not understood. Cost: O(tokens), more where macros have long expansions.
std::vector<std::string_view> match_tokens(Tokens line, Tokens source) {
  std::vector<std::string_view> origins(line.size());
  for (std::size_t k = 0, s = 0; k < line.size() && s < source.size();) {
    if (line[k] == source[s]) {
      origins[k++] = source[s++];
      continue;
    }
    const auto away = distance(line.subspan(k), source.subspan(s));
    if (!away) break;
    for (std::size_t end = k + away->first; k < end; ++k) origins[k] = source[s];
    s += away->second;
  }
  return origins;
}

}  // namespace

SourceLocator::SourceLocator(const op_kernel_core& kernel)
    : kernel_(kernel), source_(lines_that_count(kernel.source)) {
  if (kernel.source_is_file || kernel.file == nullptr) return;
  content_ = core::read_file(kernel.file).value_or("");
  const std::string_view text = source_;
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return;
  visit_nearest_first(content_, text, kernel.line, [this](std::size_t at) {
    literal_ = at;
    return true;
  });
  if (!literal_) find_lines();
  if (!literal_ && lines_.empty()) find_macro();
}

/// Looks for "OP_KERNEL(name," near the line of the kernel.
void SourceLocator::find_macro() {
  const std::vector<std::string_view> source = scan_source(content_).tokens;
  std::size_t begin = 0;
  int nearest = 0;
  for (std::size_t k = 0; k + 4 < source.size(); ++k) {
    if (source[k] != "OP_KERNEL" || source[k + 2] != kernel_.name) continue;
    const int away = std::abs(line_at(content_, offset_in(content_, source[k])) - kernel_.line);
    if (begin > 0 && away >= nearest) continue;
    begin = k + 4;
    nearest = away;
  }
  if (begin == 0) return;
  tokens_ = scan_source(source_).tokens;
  const std::size_t head = std::min<std::size_t>(2, tokens_.size());  // "void name"
  constexpr std::size_t most = 100'000;
  const Tokens from = Tokens(source).subspan(begin);
  origins_ = match_tokens(Tokens(tokens_).subspan(head), from.first(std::min(most, from.size())));
  origins_.insert(origins_.begin(), head, source[begin - 2]);
}

std::optional<SourceLocation> SourceLocator::find_in_macro(int column) const {
  const auto offset = static_cast<std::size_t>(std::max(column, 1) - 1);
  const auto after = std::ranges::upper_bound(
      tokens_, offset, {}, [this](std::string_view token) { return offset_in(source_, token); });
  if (after == tokens_.begin()) return {};
  const auto k = static_cast<std::size_t>(after - tokens_.begin() - 1);
  const std::string_view token = tokens_[k], origin = origins_[k];
  if (origin.empty()) return {};
  std::size_t at = offset_in(content_, origin);
  if (origin == token) at += std::min(offset - offset_in(source_, token), token.size());
  const std::size_t begin = at - static_cast<std::size_t>(column_at(content_, at) - 1);
  const std::size_t end = std::min(content_.find('\n', at), content_.size());
  return SourceLocation{kernel_.file, line_at(content_, at), column_at(content_, at),
                        content_.substr(begin, end - begin)};
}

void SourceLocator::find_lines() {
  const std::vector<Line> lines = lines_of(source_);
  const auto first =
      std::ranges::find_if(lines, [](const Line& line) { return !line.content.empty(); });
  visit_nearest_first(content_, escaped(first->content), kernel_.line, [&](std::size_t at) {
    lines_ = follow(lines, content_, at);
    return !lines_.empty();
  });
}

std::optional<SourceLocation> SourceLocator::find(int line, int column) const {
  if (kernel_.source_is_file) return SourceLocation{kernel_.file, line, column, {}};
  if (literal_) {
    const int indent = line == 1 ? column_at(content_, *literal_) - 1 : 0;
    return SourceLocation{
        kernel_.file, line_at(content_, *literal_) + line - 1, column + indent, {}};
  }
  if (!origins_.empty()) return line == 1 ? find_in_macro(column) : std::nullopt;
  if (line < 1 || line > std::ssize(lines_)) return {};
  const Line text = lines_of(source_)[line - 1];
  const auto before = std::max<std::size_t>(column - 1, text.indent) - text.indent;
  const std::size_t at = lines_[line - 1] + escaped(text.content.substr(0, before)).size();
  return SourceLocation{kernel_.file, line_at(content_, at), column_at(content_, at), {}};
}

}  // namespace op2::jit
