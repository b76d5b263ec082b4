// SPDX-License-Identifier: BSD-3-Clause
// Kernels with argmin and argmax payloads. There are few different values, hence many equal ones.
#pragma once

#include <array>

#include <op2/op2.hpp>

namespace op2::test {

/// May run in any order: the first of the largest values.
#define OP2_TEST_FIRST_KERNEL(T)                                                  \
  OP_KERNEL(first_of_most_##T, (const T* a, const int* i, T* most, int* where), { \
    if (*a > *most) {                                                             \
      *most = *a;                                                                 \
      where[0] = *i;                                                              \
      where[1] = 3 * *i;                                                          \
    }                                                                             \
  })
/// Must not: the last of the smallest values.
#define OP2_TEST_LAST_KERNEL(T)                                                    \
  OP_KERNEL(last_of_least_##T, (const T* a, const int* i, T* least, int* where), { \
    if (*a <= *least) {                                                            \
      *least = *a;                                                                 \
      where[0] = *i;                                                               \
    }                                                                              \
  })

OP2_TEST_FIRST_KERNEL(double);
OP2_TEST_FIRST_KERNEL(float);
OP2_TEST_FIRST_KERNEL(int);
OP2_TEST_FIRST_KERNEL(long);
OP2_TEST_LAST_KERNEL(double);
OP2_TEST_LAST_KERNEL(float);
OP2_TEST_LAST_KERNEL(int);
OP2_TEST_LAST_KERNEL(long);

struct PayloadKernels {
  Type type;
  op_kernel first_of_most, last_of_least;
};

static const std::array<PayloadKernels, 4> payload_kernels{
    {{Type::f64, first_of_most_double, last_of_least_double},
     {Type::f32, first_of_most_float, last_of_least_float},
     {Type::i32, first_of_most_int, last_of_least_int},
     {Type::i64, first_of_most_long, last_of_least_long}}};

}  // namespace op2::test
