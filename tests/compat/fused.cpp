// SPDX-License-Identifier: BSD-3-Clause
// Kernels with helpers, in a namespace, that use the standard library: with sources, all loops are
// fused. Overloads of functions of the library in one of them change nothing in the others.
#include "expect.h"

#include <cmath>

inline double pow(double value, int times) {
  return times * value;
}

namespace model {
namespace {

double scale = 2;

inline double scaled(double value) {
  return scale * fabs(value);
}
inline void kick(const double* number, double* sum) {
  *sum += scaled(*number);
}
inline void drift(double* number, const double* sum) {
  *number = scaled(*sum) - *number;
}

inline void raise(const double* number, double* power) {
  const auto to = [](auto value, auto exponent) { return pow(value, exponent); };
  *power = to(*number, 2.5) + pow(*number, 2);
}
inline void halve(double* power) {
  *power /= 2;
}

}  // namespace
}  // namespace model

int main(int argc, char** argv) {
  op_init(argc, argv, 2);
  const int size = 50, steps = 3;
  const Ring ring(size);
  op_dat sum = op_decl_dat_temp(ring.cells, 1, "double", (double*)NULL, "sum");
  op_dat power = op_decl_dat_temp(ring.cells, 1, "double", (double*)NULL, "power");
  double number[size] = {}, total[size] = {};
  for (int cell = 0; cell < size; ++cell) number[cell] = cell;
  for (int step = 0; step < steps; ++step) {
    op_par_loop(model::kick, "kick", ring.cells,
                op_arg_dat(ring.number, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(sum, -1, OP_ID, 1, "double", OP_INC));
    op_par_loop(model::drift, "drift", ring.cells,
                op_arg_dat(ring.number, -1, OP_ID, 1, "double", OP_RW),
                op_arg_dat(sum, -1, OP_ID, 1, "double", OP_READ));
    op_par_loop(model::raise, "raise", ring.cells,
                op_arg_dat(ring.number, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(power, -1, OP_ID, 1, "double", OP_WRITE));
    op_par_loop(model::halve, "halve", ring.cells,
                op_arg_dat(power, -1, OP_ID, 1, "double", OP_RW));
    double found[size] = {}, powers[size] = {};
    op_fetch_data_idx(ring.number, found, 0, size - 1);
    op_fetch_data_idx(power, powers, 0, size - 1);
    for (int cell = 0; cell < size; ++cell) {
      total[cell] += 2 * std::fabs(number[cell]);
      number[cell] = 2 * std::fabs(total[cell]) - number[cell];
      expect("number", found[cell], number[cell]);
      expect("power", powers[cell], (std::pow(number[cell], 2.5) + 2 * number[cell]) / 2);
    }
  }
  op_timing_output();
  op_exit();
  return faults == 0 ? 0 : 1;
}
