// SPDX-License-Identifier: BSD-3-Clause
// What kernels of several units use: helpers, and kernels that another unit defines.
#pragma once

#include <algorithm>
#include <cmath>

namespace features {

enum Side { left_side, right_side = 5 };
enum class Colour { red = 2, green = 4 };
constexpr int powers = 3;
constexpr double coefficients[powers] = {1, 0.5, 0.25};

struct Point {
  double x, y;
  double dot(const Point& other) const { return x * other.x + y * other.y; }
};
inline void scale(Point& point, double factor) {
  point.x *= factor;
  point.y *= factor;
}
inline double polynomial(double x) {
  double sum = 0;
  for (int k = powers - 1; k >= 0; --k) sum = sum * x + coefficients[k];
  return sum;
}

inline void inline_in_header(const double* in, double* out) {
  *out = *in + 100;
}
/// Defined in kernels_again.cpp.
void of_another_unit(const double* in, double* out);
typedef void (*Kernel)(const double* in, double* out);
Kernel chosen_in_another_unit();
/// Runs that unit's own kernel `apply` over `dat`.
void apply_in_another_unit(op_set set, op_dat dat);

}  // namespace features
