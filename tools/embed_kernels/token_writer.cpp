// SPDX-License-Identifier: BSD-3-Clause
#include "token_writer.hpp"

#include <algorithm>
#include <initializer_list>

namespace op2::embed {
namespace {

/// Whether two tokens are written without a space between them.
bool is_tight(clang::tok::TokenKind left, clang::tok::TokenKind right) {
  using namespace clang::tok;
  const auto is_one = [](TokenKind kind, std::initializer_list<TokenKind> list) {
    return std::find(list.begin(), list.end(), kind) != list.end();
  };
  return is_one(left, {l_paren, l_square}) || is_one(right, {r_paren, r_square, comma, semi});
}

}  // namespace

void TokenWriter::separate(const clang::syntax::Token& next) {
  const auto location = next.location();
  const auto offset = sources_.getDecomposedExpansionLoc(location);
  const unsigned line = sources_.getLineNumber(offset.first, offset.second);
  if (offset.first != file_ || line != line_) {
    constexpr unsigned deepest = 40;
    const unsigned column = sources_.getColumnNumber(offset.first, offset.second);
    if (!text_.empty() && text_.back() != '\n') text_ += '\n';
    text_.append(std::min(column - 1, deepest), ' ');
  } else if (!(location.isFileID() && location == end_) && !is_tight(last_, next.kind())) {
    text_ += ' ';
  }
  file_ = offset.first;
  line_ = line;
}

void TokenWriter::write(Tokens tokens, const Gaps& gaps) {
  for (const auto* token = tokens.begin(); token < tokens.end();) {
    if (const auto gap = gaps.find(token); gap != gaps.end()) {
      token = gap->second;
      end_ = {};
      continue;
    }
    separate(*token);
    const auto change = rewrites_.find(token->location());
    if (change != rewrites_.end()) {
      text_ += change->second.replacement;
      while (token < tokens.end() && token->location() != change->second.last) ++token;
    } else {
      text_ += token->text(sources_).str();
    }
    if (token == tokens.end()) break;
    last_ = token->kind();
    end_ = token->location().isFileID() ? token->endLocation() : clang::SourceLocation();
    ++token;
  }
}

void TokenWriter::write_line(const std::string& line) {
  if (!text_.empty() && text_.back() != '\n') text_ += '\n';
  text_ += line + "\n";
  file_ = {};
  line_ = 0;
}

void TokenWriter::append(const std::string& text) {
  text_ += text;
}

}  // namespace op2::embed
