// SPDX-License-Identifier: BSD-3-Clause
// Which parts of a class are left out of the source: member functions that the kernel does not
// call, so that what they need is not needed either.
#pragma once

#include "closure.hpp"
#include "parse_unit.hpp"
#include "token_writer.hpp"

namespace op2::embed {

/// @param declaration  of any kind; classes nested in it are searched
Gaps gaps_in(const clang::Decl& declaration, const Unit& unit, const Closure& closure);

}  // namespace op2::embed
