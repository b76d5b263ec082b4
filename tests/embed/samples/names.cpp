// SPDX-License-Identifier: BSD-3-Clause
// Names that mean several things: each text means by them what its function means.
#include <math.h>

#include "op_seq.h"

inline double pow(double x, int n) {
  return n > 1 ? -x * x : x;
}
double flow_gamma = 2;
namespace flow {
double gamma = 100, speed = 3;
inline void two_variables(const double* x, double* y) {
  y[0] = x[0] * flow_gamma + gamma;
}
inline void local_of_that_name(const double* x, double* y) {
  const double flow_speed = 7;
  y[0] = x[0] * flow_speed + speed;
}
}  // namespace flow
namespace flow_inner {
double rate = 5;
}
namespace flow {
namespace inner_ {
double rate = 11;
}
inline void underscores(const double* x, double* y) {
  y[0] = x[0] * flow_inner::rate + inner_::rate;
}
}  // namespace flow

inline void generic_lambda(const double* x, double* y) {
  const auto power = [](auto a, auto b) { return pow(a, b); };
  y[0] = power(x[0], 0.5) + pow(x[1], 2);
}
inline void own_function_in_generic_lambda(const double* x, double* y) {
  const auto square = [](auto a) { return pow(a, 2); };
  y[0] = square(x[0]);
}
inline void directive_inside(const double* x, double* y) {
  using namespace std;
  y[0] = fabs(-x[0]) + sqrt(x[1]);
}

void run_names(op_set set, op_arg x) {
  op_par_loop(flow::two_variables, "two_variables", set, x, x);
  op_par_loop(flow::local_of_that_name, "local_of_that_name", set, x, x);
  op_par_loop(flow::underscores, "underscores", set, x, x);
  op_par_loop(generic_lambda, "generic_lambda", set, x, x);
  op_par_loop(own_function_in_generic_lambda, "own_function_in_generic_lambda", set, x, x);
  op_par_loop(directive_inside, "directive_inside", set, x, x);
}
