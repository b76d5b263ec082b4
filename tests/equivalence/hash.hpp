// SPDX-License-Identifier: BSD-3-Clause
// What kernels of random programs compute: small integers, whatever the type; with
// OP2_TEST_FRACTIONS, sevenths of them, whose sums are rounded. Then they also compute with what
// the last bits of their operands decide, unless OP2_TEST_STABLE is defined.
#pragma once

/// Every value that a kernel makes is below this, so that sums of many stay exact in a float.
#define OP2_TEST_MODULUS 61

#ifdef OP2_TEST_FRACTIONS
#define OP2_TEST_PARTS 7
#else
#define OP2_TEST_PARTS 1
#endif

/// An integer from a value that other kernels have made.
#ifdef OP2_TEST_STABLE
#define OP2_TEST_LONG(x) ((long)((x) * OP2_TEST_PARTS + 0.5))
#else
#define OP2_TEST_LONG(x) ((long)(x))
#endif

#define OP2_TEST_HASH(T, x, salt)                                                  \
  ((T)(((OP2_TEST_LONG(x) % OP2_TEST_MODULUS) * 29 + (salt)) % OP2_TEST_MODULUS) / \
   (T)OP2_TEST_PARTS)
