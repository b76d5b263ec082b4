// SPDX-License-Identifier: BSD-3-Clause
// Kernels with helpers, in a namespace, that use the standard library: with their texts, two loops
// become one, in which a helper does not hide the function of the library that it overloads.
#include "expect.h"

#include <cmath>

inline double fabs(double value, int times) {
  return times * fabs(value);
}

namespace model {
namespace {

double scale = 2;

inline double scaled(double value) {
  return scale / 2 * (fabs(value) + fabs(value, 1));
}
inline void kick(const double* number, double* sum) {
  *sum += scaled(*number);
}
inline void drift(double* number, const double* sum) {
  *number = scaled(*sum) - *number;
}

}  // namespace
}  // namespace model

int main(int argc, char** argv) {
  op_init(argc, argv, 2);
  const int size = 50, steps = 3;
  const Ring ring(size);
  op_dat sum = op_decl_dat_temp(ring.cells, 1, "double", (double*)NULL, "sum");
  double number[size] = {}, total[size] = {};
  for (int cell = 0; cell < size; ++cell) number[cell] = cell;
  for (int step = 0; step < steps; ++step) {
    op_par_loop(model::kick, "kick", ring.cells,
                op_arg_dat(ring.number, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(sum, -1, OP_ID, 1, "double", OP_INC));
    op_par_loop(model::drift, "drift", ring.cells,
                op_arg_dat(ring.number, -1, OP_ID, 1, "double", OP_RW),
                op_arg_dat(sum, -1, OP_ID, 1, "double", OP_READ));
    double found[size] = {};
    op_fetch_data_idx(ring.number, found, 0, size - 1);
    for (int cell = 0; cell < size; ++cell) {
      total[cell] += 2 * std::fabs(number[cell]);
      number[cell] = 2 * std::fabs(total[cell]) - number[cell];
      expect("number", found[cell], number[cell]);
    }
  }
  op_timing_output();
  op_exit();
  return faults == 0 ? 0 : 1;
}
