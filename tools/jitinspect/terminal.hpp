// SPDX-License-Identifier: BSD-3-Clause
// What standard output is, and how text is marked there.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace op2::jitinspect {

/// A pipe or file has neither width nor colours: what programs read stays whole.
struct Terminal {
  bool present = false;
  std::size_t width = 0;  ///< columns; 0: unlimited
  bool colours = false;
};

/// Standard output. COLUMNS overrides the width that the terminal reports; NO_COLOR (not empty)
/// and TERM=dumb ask for no colours.
Terminal terminal();

enum class Style { plain, heading, key, good, bad };

/// The text in its colour, if standard output shows colours.
std::string painted(Style style, std::string_view text);

}  // namespace op2::jitinspect
