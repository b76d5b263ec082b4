// SPDX-License-Identifier: BSD-3-Clause
// Where OP2 is lenient with arguments that contradict their dat.
#pragma once

#include <op2/compat/op2_functions.h>
#include <op2/op2.hpp>

namespace op2::compat {

/// Gives an argument the dim of its dat, with a warning if it has another one. Accepts any type
/// string for a dat of opaque rows.
/// @param number  of the argument in `loop`
/// @return whether the type needs no further check
bool fits_dat(const arg& given, ::op_arg& made, const op_loop_name& loop, int number);

}  // namespace op2::compat
