// SPDX-License-Identifier: BSD-3-Clause
// The places in a C++ file from which the preprocessor has made one line of text: comments are
// gone, blanks are others, macros are expanded.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace op2::jit {

/// A part of a text.
struct Token {
  std::string_view text;
  std::size_t offset;
};

/// Identifiers, numbers, literals; single characters of anything else. Comments are left out.
std::vector<Token> tokens_of(std::string_view text);

/// For each token of `line`, the offset in its file of the token of `source` that it comes from.
/// One that comes from a macro has the place where the macro is used. Nothing for those after a
/// part that is not understood. Cost: O(tokens), more where macros have long expansions.
std::vector<std::optional<std::size_t>> match_tokens(const std::vector<Token>& line,
                                                     const std::vector<Token>& source);

}  // namespace op2::jit
