// SPDX-License-Identifier: BSD-3-Clause
// What kernels of random programs compute: small integers, whatever the type.
#pragma once

/// Every value that a kernel makes is below this, so that sums of many stay exact in a float.
#define OP2_TEST_MODULUS 61

#define OP2_TEST_HASH(T, x, salt) \
  ((T)((((long)(x) % OP2_TEST_MODULUS) * 29 + (salt)) % OP2_TEST_MODULUS))
