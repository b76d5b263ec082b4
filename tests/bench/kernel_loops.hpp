// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the folder kernels/ in plain sequential loops, as OP2 generates them: one element
// after the other, with pointers to its rows. Compiled by the host compiler as well as it can.
#pragma once

namespace bench {

/// Of faces between two cells; `ends` has shape [faces][2].
struct Faces {
  int count;
  const int* ends;
  const double* geometry;  ///< shape [faces][9]
};

void face_flux_loop(const Faces& faces, const double* q, const double* gradient, double* r);
void face_flux_first_loop(const Faces& faces, const double* q, double* r);
void face_gradient_loop(const Faces& faces, const double* q, double* gradient);
void local_step_loop(int cells, const double* q, const double* volume, double* step);
void face_jump_loop(const Faces& faces, const double* q, double* r);

/// Of elements; `nodes` has shape [elements][nodes of an element].
void hexahedron_loop(int elements, const int* nodes, const double* x, const double* u, double* r);
void quadratic_triangle_loop(int elements, const int* nodes, const double* x, const double* u,
                             double* r);
void elastic_tetrahedron_loop(int elements, const int* nodes, const double* x, const double* u,
                              double* f);
/// `around` has shape [cells][6].
void least_squares_loop(int cells, const int* around, const double* x, const double* q,
                        double* gradient);

}  // namespace bench
