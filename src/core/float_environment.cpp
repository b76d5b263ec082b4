// SPDX-License-Identifier: BSD-3-Clause
#include <core/float_environment.hpp>

#include <cfenv>
#include <initializer_list>
#include <limits>

namespace op2::core {

namespace {

/// The mode in which this thread adds: FE_TONEAREST ... On x86-64 the C library tells that of long
/// double instead, which need not be the same.
int rounding_of_sums() {
  // Volatile: to be computed now, by this thread.
  const volatile double one = 1, minus_one = -1, little = 0x1p-60;
  if (one + little > one) return FE_UPWARD;
  if (minus_one - little < minus_one) return FE_DOWNWARD;
  return one - little < one ? FE_TOWARDZERO : FE_TONEAREST;
}

const char* text_of(int mode) {
  switch (mode) {
    case FE_UPWARD:
      return "it rounds upwards";
    case FE_DOWNWARD:
      return "it rounds downwards";
    case FE_TOWARDZERO:
      return "it rounds towards zero";
    default:
      return nullptr;
  }
}

}  // namespace

const char* other_rounding() {
  for (const int mode : {rounding_of_sums(), std::fegetround()})
    if (mode != FE_TONEAREST) return text_of(mode);
  // Volatile: as above.
  const volatile double least_normal = std::numeric_limits<double>::min(), half = 0.5;
  const volatile double denormal = std::numeric_limits<double>::denorm_min(), large = 0x1p1000;
  if (denormal * large == 0) return "it takes denormal numbers for zero";
  if (least_normal * half == 0) return "it replaces denormal results by zero";
  return nullptr;
}

void round_to_nearest() {
  std::fesetenv(FE_DFL_ENV);
}

}  // namespace op2::core
