// SPDX-License-Identifier: BSD-3-Clause
// Floating-point traps: a program that enables them (feenableexcept) is ended by an operation that
// divides by zero, overflows or has no result.
#pragma once

#include <cfenv>

namespace op2::core {

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
