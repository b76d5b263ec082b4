// SPDX-License-Identifier: BSD-3-Clause
// More forms of kernels, as older programs write them; see plain.cpp.
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>

#include "forms.h"
#include "op_seq.h"

using namespace std;

void declared_before(const double* x, double* y);

inline void found_through_std(const double* x, double* y) {
  y[0] = max(x[0], x[1]) + min(1.0, x[2]) + abs(-x[0]) + sqrt(x[1]) + pow(x[0], 3);
  y[1] = isnan(x[0]) || isinf(x[1]) || !isfinite(x[2]) ? -1 : cbrt(x[0]) + fabs(-x[1]);
  swap(y[0], y[1]);
  y[2] = MAX(0.5, exp(-x[0])) + clamp(x[3], 0.0, 1.0) + std::max<double>(1, x[0]);
}

inline void of_another_unit(const double* x, double* y) {
  y[0] = gamma_minus_one * maxfun(x[0], x[1]) + table[1][2];
}

extern "C" {
static double c_helper(double v) {
  return v + 1;
}
void c_kernel(const double* x, double* y) {
  y[0] = c_helper(x[0]);
}
}

inline void arrays(const double x[3], double y[1]) {
  const int n = 3;
  double copy[n];
  memcpy(copy, x, sizeof copy);
  for (int i = 0; i < n; i++) y[0] += copy[i];
  static const double factors[2] = {2, 3};
  y[0] *= factors[1];
}

inline void row_pointers(const double* x[2], double* y) {
  y[0] = *x[0] + *(x[1] + 1);
}

class Mesh {
 public:
  enum Side { left = 1, right = 2 };
  struct Index {
    int value;
  };
  using Number = double;
  static constexpr double lengths[2] = {0.25, 0.75};
  static double scale;
  static const int count = 9;
};
double Mesh::scale = 1.5;
constexpr double Mesh::lengths[2];
inline void members(const double* x, double* y) {
  Mesh::Index i = {Mesh::right};
  const Mesh::Number length = Mesh::lengths[1];
  y[0] = i.value * length + Mesh::scale * x[0] + Mesh::count;
}

namespace {
struct Law {
  double operator()(double v) const { return v * v; }
};
template <class L>
void apply(const double* x, double* y) {
  y[0] = L()(x[0]);
}
}  // namespace

template <class T>
struct Dual;
template <>
struct Dual<double> {
  double value, slope;
  Dual(double v) : value(v), slope(1) {}
  Dual& operator*=(const Dual& other) {
    slope = slope * other.value + value * other.slope;
    value *= other.value;
    return *this;
  }
};
template <class T>
Dual<T> operator*(Dual<T> a, const Dual<T>& b) {
  return a *= b;
}
inline void operators(const double* x, double* y) {
  const auto square = Dual<double>(x[0]) * Dual<double>(x[0]);
  y[0] = square.value;
  y[1] = square.slope;
}

inline double recursive(double v, int n) {
  return n == 0 ? v : recursive(v * 0.5, n - 1) + 1;
}
inline void recursion(const double* x, double* y) {
  y[0] = recursive(x[0], 4);
}

// The C functions that a call with another type gets.
inline void c_functions(const float* x, double* y) {
  y[0] = ::pow(x[0], 0.5F) + ::atan2(x[0], 1) + sqrtf(x[1]) + ldexp(x[0], 2) + fma(x[0], x[1], 1);
  y[1] = lround(x[3]) + floor(x[1]) + abs(static_cast<int>(-x[2]));
}

inline void checks(const double* x, double* y) {
  assert(x[0] > 0 && "positive");
  if (x[0] < 0) printf("%g\n", x[0]);
  y[0] = x[0];
}

union Bits {
  double number;
  unsigned long long bits;
};
inline void unions(const double* x, double* y) {
  Bits b;
  b.number = x[0];
  y[0] = static_cast<double>(b.bits >> 52);
}

template <class T>
constexpr T third = T(1) / 3;
inline auto inferred(double v) {
  return v * third<double>;
}
inline void inference(const double* x, double* y) {
  const auto value = inferred(x[0]);
  y[0] = value;
}

struct alignas(16) Wide {
  float a;
};
struct Packed {
  char c;
  double d;
} __attribute__((packed));
struct Fields : Wide {
  unsigned low : 3, high : 5;
  Fields() : low(1), high(2) { a = 4; }
};
inline void layouts(const double* x, double* y) {
  const Packed p{'a', x[0]};
  const Fields f;
  y[0] = p.d + f.low + f.high + f.a + __builtin_popcount(7);
}

template <class T>
T root_of(T x) {
  return sqrt(x);
}
template <class... T>
double total(T... parts) {
  return (parts + ... + 0.0);
}
struct Pair {
  double first, second;
};
inline void newer(const double* x, double* y) {
  const auto [first, second] = Pair{x[0], x[1]};
  y[0] = total(root_of(first), root_of(2.0F), 1);
  if constexpr (sizeof(Pair) == 16) y[0] += second;
  for (const double v : {1.0, 2.0}) y[0] += v;
}

template <class T>
void run_all(op_set set, op_arg x) {
  op_par_loop(apply<T>, "apply", set, x, x);
}

void run(op_set set, op_arg x) {
  op_par_loop(declared_before, "declared_before", set, x, x);
  op_par_loop(found_through_std, "found_through_std", set, x, x);
  op_par_loop(of_another_unit, "of_another_unit", set, x, x);
  op_par_loop(c_kernel, "c_kernel", set, x, x);
  op_par_loop(arrays, "arrays", set, x, x);
  op_par_loop(row_pointers, "row_pointers", set, x, x);
  op_par_loop(members, "members", set, x, x);
  run_all<Law>(set, x);
  op_par_loop(operators, "operators", set, x, x);
  op_par_loop(recursion, "recursion", set, x, x);
  op_par_loop(c_functions, "c_functions", set, x, x);
  op_par_loop(checks, "checks", set, x, x);
  op_par_loop(unions, "unions", set, x, x);
  op_par_loop(inference, "inference", set, x, x);
  op_par_loop(layouts, "layouts", set, x, x);
  op_par_loop(newer, "newer", set, x, x);
}

void declared_before(const double* x, double* y) {
  y[0] = 3 * x[0];
}
