// SPDX-License-Identifier: BSD-3-Clause
// A type of a program's own, as OP_USER_DATATYPES brings it in.
#pragma once

struct point {
  double x;
  float weight;
};

inline int type_error(const point*, const char* type) {
  return strcmp(type, "point");
}
#define ZERO_point point{0, 0};
