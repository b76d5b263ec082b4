// SPDX-License-Identifier: BSD-3-Clause
// Ambiguous names: each source must resolve them like its function.
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

const double factor = 1;
inline double twice(double x) {
  return 2 * factor * x;
}
namespace euler {
namespace constants {
const double factor = 100;
}
using namespace constants;
inline void directive_of_namespace(const double* x, double* y) {
  y[0] = factor * x[0] + twice(x[0]);
}
}  // namespace euler

template <class T>
struct Traits {
  typedef T type;
};
template <>
struct Traits<double> {
  typedef int type;
};
template <class T, class U = typename Traits<T>::type>
U converted(T x) {
  return U(x);
}
inline void specialisation(const double* x, double* y) {
  y[0] = converted(x[0]) + x[1];
}

inline double largest(int x) {
  return x;
}
inline double largest(float x) {
  return 10 * x;
}
template <class T>
auto chosen(T x, int) -> decltype(largest(x)) {
  return largest(x);
}
template <class T>
double chosen(T x, long) {
  return 100 * x;
}
inline void overloads(const double* x, double* y) {
  y[0] = chosen(1, 0) + chosen(x[0], 0);
}

struct Base {
  double value;
  explicit Base(int v) : value(v) {}
  explicit Base(double v) : value(10 * v) {}
};
struct Derived : Base {
  using Base::Base;
};
inline void inherited(const double* x, double* y) {
  const Derived d(x[0]);
  y[0] = d.value + Base(1).value;
}

template <class T>
struct Counted {
  T* count;
  ~Counted() { *count += 1; }
};
struct Counting : Counted<double> {};
inline void destructor_of_base(const double* x, double* y) {
  y[0] = x[0];
  { Counting counting{{y}}; }
}

void run_names(op_set set, op_arg x) {
  op_par_loop(flow::two_variables, "two_variables", set, x, x);
  op_par_loop(flow::local_of_that_name, "local_of_that_name", set, x, x);
  op_par_loop(flow::underscores, "underscores", set, x, x);
  op_par_loop(generic_lambda, "generic_lambda", set, x, x);
  op_par_loop(own_function_in_generic_lambda, "own_function_in_generic_lambda", set, x, x);
  op_par_loop(directive_inside, "directive_inside", set, x, x);
  op_par_loop(euler::directive_of_namespace, "directive_of_namespace", set, x, x);
  op_par_loop(specialisation, "specialisation", set, x, x);
  op_par_loop(overloads, "overloads", set, x, x);
  op_par_loop(inherited, "inherited", set, x, x);
  op_par_loop(destructor_of_base, "destructor_of_base", set, x, x);
}
