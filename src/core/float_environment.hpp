// SPDX-License-Identifier: BSD-3-Clause
// The floating-point environment of a thread, which programs and -ffast-math may change: how it
// rounds, and which operations trap. A program that enables traps (feenableexcept) is ended by an
// operation that divides by zero, overflows or has no result.
#pragma once

#include <cfenv>

namespace op2::core {

/// What makes the calling thread round in another way than to nearest, denormal numbers included:
/// "it rounds upwards", "it takes denormal numbers for zero" ...; null: nothing. Local.
/// Cost: some 10 ns.
const char* other_rounding();

/// Lets the calling thread round to nearest, denormal numbers included.
void round_to_nearest();

/// The exceptions that trap in this thread; 0: none. Cost: a few instructions.
inline int float_traps() {
  const int traps = fegetexcept();
  return traps > 0 ? traps : 0;
}

/// Lets these exceptions, and no others, trap in this thread.
inline void set_float_traps(int traps) {
  feclearexcept(FE_ALL_EXCEPT);  // what has been raised before must not trap now
  fedisableexcept(FE_ALL_EXCEPT & ~traps);
  feenableexcept(traps);
}

}  // namespace op2::core
