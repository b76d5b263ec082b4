// SPDX-License-Identifier: BSD-3-Clause
// Tables that fit into the width of the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "terminal.hpp"

namespace op2::jitinspect {

struct Column {
  std::string heading;
  bool number = false;    ///< at the right
  std::size_t least = 0;  ///< characters that a long text is shortened to; 0: never shortened
  int leaves = 0;         ///< the lowest number is left out first; 0: never
  Style style = Style::plain;
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  ///< a text per column
};

/// The text in at most `width` characters: what is too much is taken out of its middle, where
/// names of fused loops say least.
std::string shortened(std::string_view text, std::size_t width);

/// Writes heading and rows to standard output. On a terminal, long texts are shortened, then
/// columns are left out, and named below, until lines fit; elsewhere the table is whole.
void print_table(const Table& table);

}  // namespace op2::jitinspect
