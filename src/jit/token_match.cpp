// SPDX-License-Identifier: BSD-3-Clause
#include <jit/token_match.hpp>

#include <algorithm>
#include <cctype>
#include <span>
#include <utility>

namespace op2::jit {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// The end of the blanks and comments at `at`.
std::size_t skip_blanks(std::string_view text, std::size_t at) {
  for (;;) {
    while (at < text.size() &&
           (std::isspace(static_cast<unsigned char>(text[at])) != 0 || text[at] == '\\'))
      ++at;
    const std::string_view rest = text.substr(std::min(at, text.size()));
    if (rest.starts_with("//"))
      at += std::min(rest.find('\n'), rest.size());
    else if (rest.starts_with("/*"))
      at += std::min(rest.find("*/", 2), rest.size() - 2) + 2;
    else
      return at;
  }
}

/// The end of the token at `at`.
std::size_t end_of_token(std::string_view text, std::size_t at) {
  const char first = text[at++];
  if (is_word(first)) {
    const bool is_number = std::isdigit(static_cast<unsigned char>(first)) != 0;
    while (at < text.size() && (is_word(text[at]) || (is_number && text[at] == '.'))) ++at;
  } else if (first == '"' || first == '\'') {
    while (at < text.size() && text[at] != first) at += text[at] == '\\' ? 2 : 1;
    at = std::min(at + 1, text.size());
  }
  return at;
}

/// Whether the sequences agree for a while.
bool agree(std::span<const Token> a, std::span<const Token> b) {
  constexpr std::size_t enough = 3;
  const std::size_t count = std::min({enough, a.size(), b.size()});
  for (std::size_t k = 0; k < count; ++k)
    if (a[k].text != b[k].text) return false;
  return count > 0;
}

/// The fewest tokens to leave out on both sides, so that they agree again.
std::optional<std::pair<std::size_t, std::size_t>> distance(std::span<const Token> line,
                                                            std::span<const Token> source) {
  constexpr std::size_t most = 200;
  for (std::size_t sum = 1; sum <= most; ++sum)
    for (std::size_t in_source = 0; in_source <= sum; ++in_source) {
      const std::size_t in_line = sum - in_source;
      if (in_line >= line.size() || in_source >= source.size()) continue;
      if (agree(line.subspan(in_line), source.subspan(in_source))) return {{in_line, in_source}};
    }
  return {};
}

}  // namespace

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  for (std::size_t at = skip_blanks(text, 0); at < text.size();) {
    const std::size_t end = end_of_token(text, at);
    tokens.push_back({text.substr(at, end - at), at});
    at = skip_blanks(text, end);
  }
  return tokens;
}

std::vector<std::optional<std::size_t>> match_tokens(const std::vector<Token>& line,
                                                     const std::vector<Token>& source) {
  std::vector<std::optional<std::size_t>> places(line.size());
  const std::span all(line), from(source);
  for (std::size_t k = 0, s = 0; k < line.size() && s < source.size();) {
    if (line[k].text == source[s].text) {
      places[k++] = source[s++].offset;
      continue;
    }
    const auto away = distance(all.subspan(k), from.subspan(s));
    if (!away) break;
    for (std::size_t end = k + away->first; k < end; ++k) places[k] = source[s].offset;
    s += away->second;
  }
  return places;
}

}  // namespace op2::jit
