// SPDX-License-Identifier: BSD-3-Clause
// As programs write their headers: constants of another unit, a kernel, helpers.
#ifndef FORMS_H
#define FORMS_H
extern double gamma_minus_one;
extern int table[2][3];
#define OP_FUN_PREFIX
static inline OP_FUN_PREFIX double maxfun(double a, double b) {
  return a > b ? a : b;
}
#endif
