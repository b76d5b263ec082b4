// SPDX-License-Identifier: BSD-3-Clause
// Compiles a text as the library will: alone, with nothing but its small standard headers.
#pragma once

#include <string>

#include "text.hpp"

namespace op2::embed {

/// The first error; empty: the text compiles. Cost: about 10 ms.
std::string compile_fault(const KernelText& text);

}  // namespace op2::embed
