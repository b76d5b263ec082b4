// SPDX-License-Identifier: BSD-3-Clause
// Writes tokens as text, line by line as they stand in the program's files.
#pragma once

#include <map>
#include <string>

#include <clang/Basic/SourceManager.h>
#include <clang/Tooling/Syntax/Tokens.h>
#include <llvm/ADT/ArrayRef.h>

#include "closure.hpp"

namespace op2::embed {

using Tokens = llvm::ArrayRef<clang::syntax::Token>;

/// Places of tokens at which a range to leave out begins, and the token behind it.
using Gaps = std::map<const clang::syntax::Token*, const clang::syntax::Token*>;

class TokenWriter {
 public:
  /// `rewrites` must outlive the writer.
  TokenWriter(const clang::SourceManager& sources,
              const std::map<clang::SourceLocation, Rewrite>& rewrites)
      : sources_(sources), rewrites_(rewrites) {}

  void write(Tokens tokens, const Gaps& gaps = {});
  /// `line` becomes a line of its own.
  void write_line(const std::string& line);
  /// Directly behind what was written last.
  void append(const std::string& words);

  const std::string& text() const { return text_; }

 private:
  /// Between the last token and the next one.
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
