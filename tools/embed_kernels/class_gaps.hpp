// SPDX-License-Identifier: BSD-3-Clause
// Which parts of a class a text leaves out: functions that the kernel does not use, so that they
// need not be understood.
#pragma once

#include "closure.hpp"
#include "parse_unit.hpp"
#include "token_writer.hpp"

namespace op2::embed {

/// @param declaration  anything; classes in it are looked for
Gaps gaps_in(const clang::Decl& declaration, const Unit& unit, const Closure& closure);

}  // namespace op2::embed
