// SPDX-License-Identifier: BSD-3-Clause
#include "kernel_loops.hpp"

#include <algorithm>
#include <cmath>

namespace {
#include "kernels/elements.h"
#include "kernels/euler.h"

/// Pointers to the rows of `n` nodes.
template <int n, class T>
struct Rows {
  Rows(T* base, const int* nodes, int dim) {
    for (int k = 0; k < n; ++k) rows[k] = base + nodes[k] * dim;
  }
  T* rows[n];
};

}  // namespace

namespace bench {

void face_flux_loop(const Faces& faces, const double* q, const double* gradient, double* r) {
  for (int f = 0; f < faces.count; ++f) {
    const int left = faces.ends[2 * f], right = faces.ends[2 * f + 1];
    face_flux(faces.geometry + 9 * f, q + 6 * left, q + 6 * right, gradient + 18 * left,
              gradient + 18 * right, r + 6 * left, r + 6 * right);
  }
}

void face_flux_first_loop(const Faces& faces, const double* q, double* r) {
  for (int f = 0; f < faces.count; ++f) {
    const int left = faces.ends[2 * f], right = faces.ends[2 * f + 1];
    face_flux_first(faces.geometry + 9 * f, q + 6 * left, q + 6 * right, r + 6 * left,
                    r + 6 * right);
  }
}

void face_gradient_loop(const Faces& faces, const double* q, double* gradient) {
  for (int f = 0; f < faces.count; ++f) {
    const int left = faces.ends[2 * f], right = faces.ends[2 * f + 1];
    face_gradient(faces.geometry + 9 * f, q + 6 * left, q + 6 * right, gradient + 18 * left,
                  gradient + 18 * right);
  }
}

void local_step_loop(int cells, const double* q, const double* volume, double* step) {
  for (int c = 0; c < cells; ++c) local_step(q + 6 * c, volume + c, step + c);
}

void face_jump_loop(const Faces& faces, const double* q, double* r) {
  for (int f = 0; f < faces.count; ++f) {
    const int left = faces.ends[2 * f], right = faces.ends[2 * f + 1];
    face_jump(faces.geometry + 9 * f, q + 12 * left, q + 12 * right, r + 12 * left, r + 12 * right);
  }
}

void hexahedron_loop(int elements, const int* nodes, const double* x, const double* u, double* r) {
  for (int e = 0; e < elements; ++e) {
    const Rows<8, const double> xs(x, nodes + 8 * e, 3), us(u, nodes + 8 * e, 1);
    const Rows<8, double> rs(r, nodes + 8 * e, 1);
    hexahedron(xs.rows, us.rows, rs.rows);
  }
}

void quadratic_triangle_loop(int elements, const int* nodes, const double* x, const double* u,
                             double* r) {
  for (int e = 0; e < elements; ++e) {
    const Rows<6, const double> xs(x, nodes + 6 * e, 2), us(u, nodes + 6 * e, 1);
    const Rows<6, double> rs(r, nodes + 6 * e, 1);
    quadratic_triangle(xs.rows, us.rows, rs.rows);
  }
}

void elastic_tetrahedron_loop(int elements, const int* nodes, const double* x, const double* u,
                              double* f) {
  for (int e = 0; e < elements; ++e) {
    const Rows<4, const double> xs(x, nodes + 4 * e, 3), us(u, nodes + 4 * e, 3);
    const Rows<4, double> fs(f, nodes + 4 * e, 3);
    elastic_tetrahedron(xs.rows, us.rows, fs.rows);
  }
}

void least_squares_loop(int cells, const int* around, const double* x, const double* q,
                        double* gradient) {
  for (int c = 0; c < cells; ++c) {
    const Rows<6, const double> xs(x, around + 6 * c, 3), qs(q, around + 6 * c, 3);
    least_squares(x + 3 * c, q + 3 * c, xs.rows, qs.rows, gradient + 9 * c);
  }
}

}  // namespace bench
