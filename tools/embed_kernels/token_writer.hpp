// SPDX-License-Identifier: BSD-3-Clause
// Writes tokens as text, with the line breaks of the program's files.
#pragma once

#include <map>
#include <string>

#include <clang/Basic/SourceManager.h>
#include <clang/Tooling/Syntax/Tokens.h>
#include <llvm/ADT/ArrayRef.h>

#include "closure.hpp"

namespace op2::embed {

using Tokens = llvm::ArrayRef<clang::syntax::Token>;

/// Ranges of tokens to leave out: the first token, and the one after the last.
using Gaps = std::map<const clang::syntax::Token*, const clang::syntax::Token*>;

class TokenWriter {
 public:
  /// `rewrites` must outlive the writer.
  TokenWriter(const clang::SourceManager& sources,
              const std::map<clang::SourceLocation, Rewrite>& rewrites)
      : sources_(sources), rewrites_(rewrites) {}

  void write(Tokens tokens, const Gaps& gaps = {});
  /// Writes `line` on a separate line.
  void write_line(const std::string& line);
  /// Writes `text` without a separator.
  void append(const std::string& text);

  const std::string& text() const { return text_; }

 private:
  /// Writes the white space between the last token and the next one.
  void separate(const clang::syntax::Token& next);

  const clang::SourceManager& sources_;
  const std::map<clang::SourceLocation, Rewrite>& rewrites_;
  std::string text_;
  clang::FileID file_;
  unsigned line_ = 0;
  clang::SourceLocation end_;  ///< of the last token, if it stands in a file
  clang::tok::TokenKind last_ = clang::tok::unknown;
};

}  // namespace op2::embed
