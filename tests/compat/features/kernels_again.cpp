// SPDX-License-Identifier: BSD-3-Clause
// Kernels with the names of others in another unit, and kernels for another unit.
#include "features.hpp"

#include "kernels.hpp"

static double offset = 3;

static double changed(double value) {
  return value + offset;
}
static void apply(double* value) {  // not the one of kernels.cpp
  *value = changed(*value);
}

namespace features {

void of_another_unit(const double* in, double* out) {
  *out = *in - 7;
}

static void private_to_this(const double* in, double* out) {
  *out = 3 * *in + offset;
}
Kernel chosen_in_another_unit() {
  return private_to_this;
}

void apply_in_another_unit(op_set set, op_dat dat) {
  op_par_loop(apply, "apply", set, op_arg_dat(dat, -1, OP_ID, 1, "double", OP_RW));
}

}  // namespace features
