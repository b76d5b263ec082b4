// SPDX-License-Identifier: BSD-3-Clause
// Kernels in the forms that programs use. Each runs twice in sources_test.cpp: as the function and
// as its source, with equal results.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "op_seq.h"

double gam = 1.4;
double qinf[4] = {1.0, 2.0, 3.0, 4.0};
int steps = 3;
const double half = 0.5;
constexpr int width = 3;
static const double weights[2][2] = {{0.1, 0.2}, {0.3, 0.4}};
const double root = std::sqrt(2.0);
enum { first_value, second_value = 5 };
enum class Kind : int { slow = 1, fast = 7 };

namespace flow {
double pressure = 2.5;
const float small = 0.1F;
inline double twice(double x) {
  return 2 * x + pressure * small;
}
namespace {
int calls = 11;
}
}  // namespace flow

// Registered constants, arrays, locals of the same name as a global.
inline void constants(const double* x, double* y) {
  const double gam_here = gam;
  double steps = gam_here * x[0];  // not the global
  y[0] = steps + qinf[2] + half + width + weights[1][0] + root + flow::pressure + flow::calls;
}

// Helpers: references, structures, other kernels.
struct Vector {
  double x, y, z;
};
typedef struct {
  double low, high;
  int count;
} Range, *RangePointer;
struct Tensor {
  std::vector<double> never;
};
class Point {
 public:
  Point(double a, double b) : a_(a), b_(b) {}
  double norm() const { return std::sqrt(a_ * a_ + b_ * b_); }
  [[nodiscard]] std::string name() const { return "not for kernels"; }
  double scaled(double by) const;
  friend Point operator+(const Point& l, const Point& r) { return {l.a_ + r.a_, l.b_ + r.b_}; }
  friend std::string text(const Point&) { return "neither"; }

 private:
  double a_, b_;
};
double Point::scaled(double by) const {
  return norm() * by;
}

static inline void split(double value, double& low, double& high) {
  low = value / 2;
  high = value - low;
}
static inline double dot(Vector a, const Vector& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
double largest(double a, double b);
double largest(double a, double b) {
  return a > b ? a : b;
}
void helpers(const double* x, double* y) {
  double low, high;
  split(x[0], low, high);
  Vector v{low, high, 1};
  Range range = {low, high, 2};
  RangePointer pointer = &range;
  const Point sum = Point(low, high) + Point(1, 2);
  y[0] = dot(v, v) + largest(low, pointer->high) + range.count + sum.norm() + sum.scaled(3);
  constants(x, y + 1);
}

// Macros, enumerations, limits, what glibc makes of isnan.
#define COMPONENT(p, i) p[i]
#define SUM3(p) (COMPONENT(p, 0) + COMPONENT(p, 1) + COMPONENT(p, 2))
#ifdef EXTRA_TERM
#define TERM 1000
#else
#define TERM 0
#endif
inline void macros(const double* x, double* y) {
  y[0] = SUM3(x) + TERM + MAX(x[0], x[1]) + static_cast<int>(second_value) +
         static_cast<int>(Kind::fast) + M_PI;
  y[1] = std::isnan(x[0]) ? 0 : std::numeric_limits<double>::epsilon();
}

// An include in the middle of a body.
inline void included(const double* x, double* y) {
#include "body.inc"
}

// A vector argument.
inline void gather(const double** x, double* y) {
  y[0] = x[0][0] + x[1][1];
}

// Templates: several arguments, a class template, a specialisation.
template <class T, int n>
struct Row {
  T v[n];
  T total() const {
    T sum{};
    for (int i = 0; i < n; ++i) sum += v[i];
    return sum;
  }
  void print() const { std::printf("%d\n", n); }
};
template <class T>
T bias(T) {
  return 1;
}
template <>
double bias(double x) {
  return x + 2;
}
template <class T, int n>
void scale(const T* x, T* y) {
  Row<T, n> row;
  for (int i = 0; i < n; ++i) row.v[i] = std::sqrt(x[i]);
  y[0] = row.total() * bias(x[0]);
}

// Overloads, namespaces, static members.
inline void overloaded(const double* x, double* y) {
  y[0] = flow::twice(x[0]);
}
inline void overloaded(const float* x, float* y) {
  y[0] = -x[0];
}
namespace flow {
namespace {
void hidden(const double* x, double* y) {
  y[0] = twice(x[0]) + calls;
}
}  // namespace
struct Kernels {
  static constexpr double factor = 4;
  static void member(const double* x, double* y) { y[0] = factor * x[0]; }
};
}  // namespace flow

// The functions of the standard library that the program got.
inline void precision(const float* x, double* y) {
  y[0] = sqrt(x[0]);
  y[1] = std::sqrt(x[0]);
  y[2] = std::pow(x[0], 2);
  y[3] = ::fabs(-x[0]) + std::fmax(x[0], 0.1);
}

// Names that are found in other ways.
namespace names {
using flow::twice;
namespace other = flow;
using Number = double;
inline void aliases(const double* x, double* y) {
  const Number value = twice(x[0]);
  y[0] = other::twice(value);
  std::int32_t whole = static_cast<std::int32_t>(value);
  ull big = 3;
  y[1] = whole + static_cast<double>(big);
}
}  // namespace names

// Kernels in variables.
inline void one(const int*, double* y) {
  y[0] = 1;
}
inline void two(const int*, double* y) {
  y[0] = 2;
}

// Local lambdas and templates in a kernel.
inline void nested(const double* x, double* y) {
  struct Local {
    double v;
  };
  const auto square = [](double v) { return v * v; };
  static constexpr double table[2] = {1.5, 2.5};
  Local local{square(x[0])};
  y[0] = local.v + table[1];
}

void run(op_set cells, op_dat a, op_dat b, op_map map, bool which) {
  const double gam = 3;  // not what kernels see
  (void)gam;
  const op_arg x = op_arg_dat(a, -1, OP_ID, 3, "double", OP_READ);
  op_par_loop(constants, "constants", cells, x, op_arg_dat(b, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(&helpers, "helpers", cells, x, op_arg_dat(b, -1, OP_ID, 2, "double", OP_WRITE));
  op_par_loop(macros, "macros", cells, x, op_arg_dat(b, -1, OP_ID, 2, "double", OP_WRITE));
  op_par_loop(included, "included", cells, x, op_arg_dat(b, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(gather, "gather", cells, op_arg_dat(a, -2, map, 3, "double", OP_READ),
              op_arg_dat(b, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(scale<double, 3>, "scale", cells, x, op_arg_dat(b, -1, OP_ID, 1, "double", OP_WRITE));
  op_par_loop(scale<float, 2>, "scale_single", cells, x, x);
  op_par_loop<const double, double>(overloaded, "overloaded", cells, x, x);
  op_par_loop<const float, float>(overloaded, "overloaded_single", cells, x, x);
  op_par_loop(flow::hidden, "hidden", cells, x, x);
  op_par_loop(flow::Kernels::member, "member", cells, x, x);
  op_par_loop(precision, "precision", cells, x, x);
  op_par_loop(names::aliases, "aliases", cells, x, x);
  op_par_loop(nested, "nested", cells, x, x);
  void (*chosen)(const int*, double*) = which ? one : two;
  op_par_loop(chosen, "chosen", cells, x, x);
}
