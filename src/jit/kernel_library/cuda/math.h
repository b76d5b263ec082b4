// SPDX-License-Identifier: BSD-3-Clause
#include <op2_math>
#define NAN op2_traits::real_of(0x7fc00000U)
#define INFINITY op2_traits::real_of(0x7f800000U)
#define HUGE_VAL op2_traits::real_of(0x7ff0000000000000UL)
#include <op2_math_macros>
