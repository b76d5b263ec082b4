// SPDX-License-Identifier: BSD-3-Clause
#include <core/arithmetic_mode.hpp>

#include <cfenv>
#include <limits>

namespace op2::core {

const char* other_rounding() {
  switch (std::fegetround()) {
    case FE_UPWARD:
      return "it rounds upwards";
    case FE_DOWNWARD:
      return "it rounds downwards";
    case FE_TOWARDZERO:
      return "it rounds towards zero";
    default:
      break;
  }
  // Volatile: to be computed now, by this thread.
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
