// SPDX-License-Identifier: BSD-3-Clause
// Expressions of a source as tokens that follow from their syntax trees alone.
#pragma once

#include <cctype>
#include <span>
#include <string_view>
#include <vector>

namespace op2::jit {

/// As scan_source finds them.
using Tokens = std::span<const std::string_view>;

inline bool is_word(std::string_view token) {
  return std::isalpha(static_cast<unsigned char>(token.front())) != 0 || token.front() == '_';
}

/// An expression without the parentheses that its operators do not need, so that expressions with
/// the same syntax tree have the same tokens. With other operators than those of values and
/// comparisons it stays as it is. Cost: linear in the length and the depth.
std::vector<std::string_view> without_needless_parentheses(Tokens tokens);

}  // namespace op2::jit
