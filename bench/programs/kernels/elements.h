// SPDX-License-Identifier: BSD-3-Clause
// Finite elements as programs write them: loops with constant bounds over quadrature points, shape
// functions and directions, with local arrays that are indexed by them.

// Hexahedra, 8 nodes, 2 x 2 x 2 points: the local matrix of a Laplacian, multiplied with u.
inline void hexahedron(const double* const* x, const double* const* u, double* const* r) {
  const double point = 0.57735026918962576;
  double matrix[8][8];
  for (int a = 0; a < 8; ++a)
    for (int b = 0; b < 8; ++b) matrix[a][b] = 0;
  for (int q = 0; q < 8; ++q) {
    const double p[3] = {(q & 1) ? point : -point, (q & 2) ? point : -point,
                         (q & 4) ? point : -point};
    double local[8][3];
    for (int a = 0; a < 8; ++a) {
      const double s[3] = {(a & 1) ? 1.0 : -1.0, (a & 2) ? 1.0 : -1.0, (a & 4) ? 1.0 : -1.0};
      for (int d = 0; d < 3; ++d) {
        double value = 0.125 * s[d];
        for (int e = 0; e < 3; ++e)
          if (e != d) value *= 1 + s[e] * p[e];
        local[a][d] = value;
      }
    }
    double jacobian[3][3];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        jacobian[i][j] = 0;
        for (int a = 0; a < 8; ++a) jacobian[i][j] += x[a][i] * local[a][j];
      }
    double inverse[3][3];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        inverse[j][i] = jacobian[(i + 1) % 3][(j + 1) % 3] * jacobian[(i + 2) % 3][(j + 2) % 3] -
                        jacobian[(i + 1) % 3][(j + 2) % 3] * jacobian[(i + 2) % 3][(j + 1) % 3];
    double volume = 0;
    for (int j = 0; j < 3; ++j) volume += jacobian[0][j] * inverse[j][0];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) inverse[i][j] /= volume;
    double gradient[8][3];
    for (int a = 0; a < 8; ++a)
      for (int i = 0; i < 3; ++i) {
        gradient[a][i] = 0;
        for (int j = 0; j < 3; ++j) gradient[a][i] += local[a][j] * inverse[j][i];
      }
    for (int a = 0; a < 8; ++a)
      for (int b = 0; b < 8; ++b)
        for (int i = 0; i < 3; ++i) matrix[a][b] += volume * gradient[a][i] * gradient[b][i];
  }
  for (int a = 0; a < 8; ++a)
    for (int b = 0; b < 8; ++b) r[a][0] += matrix[a][b] * u[b][0];
}

// Quadratic triangles, 6 nodes, 6 points: reaction and diffusion with a coefficient at the nodes.
constexpr double triangle_point[6][3] = {{0.109951743655322, 0.091576213509771, 0.091576213509771},
                                         {0.109951743655322, 0.816847572980459, 0.091576213509771},
                                         {0.109951743655322, 0.091576213509771, 0.816847572980459},
                                         {0.223381589678011, 0.445948490915965, 0.108103018168070},
                                         {0.223381589678011, 0.108103018168070, 0.445948490915965},
                                         {0.223381589678011, 0.445948490915965, 0.445948490915965}};

inline void quadratic_shapes(double s, double t, double* shape, double (*slope)[2]) {
  const double r = 1 - s - t;
  const double l[3] = {r, s, t};
  const double dl[3][2] = {{-1, -1}, {1, 0}, {0, 1}};
  for (int a = 0; a < 3; ++a) {
    shape[a] = l[a] * (2 * l[a] - 1);
    for (int d = 0; d < 2; ++d) slope[a][d] = (4 * l[a] - 1) * dl[a][d];
    const int b = (a + 1) % 3;
    shape[3 + a] = 4 * l[a] * l[b];
    for (int d = 0; d < 2; ++d) slope[3 + a][d] = 4 * (dl[a][d] * l[b] + l[a] * dl[b][d]);
  }
}

inline void quadratic_triangle(const double* const* x, const double* const* u, double* const* r) {
  double edge[2][2];
  for (int i = 0; i < 2; ++i)
    for (int d = 0; d < 2; ++d) edge[i][d] = x[1 + i][d] - x[0][d];
  const double twice = edge[0][0] * edge[1][1] - edge[0][1] * edge[1][0];
  const double inverse[2][2] = {{edge[1][1] / twice, -edge[0][1] / twice},
                                {-edge[1][0] / twice, edge[0][0] / twice}};
  for (int q = 0; q < 6; ++q) {
    double shape[6], slope[6][2], gradient[6][2];
    quadratic_shapes(triangle_point[q][1], triangle_point[q][2], shape, slope);
    double value = 0, du[2] = {0, 0};
    for (int a = 0; a < 6; ++a) {
      for (int d = 0; d < 2; ++d)
        gradient[a][d] = slope[a][0] * inverse[d][0] + slope[a][1] * inverse[d][1];
      value += shape[a] * u[a][0];
      for (int d = 0; d < 2; ++d) du[d] += gradient[a][d] * u[a][0];
    }
    const double weight = 0.5 * triangle_point[q][0] * twice;
    const double diffusion = 1 + value * value;
    for (int a = 0; a < 6; ++a) {
      double sum = shape[a] * value * value * value;
      for (int d = 0; d < 2; ++d) sum += diffusion * gradient[a][d] * du[d];
      r[a][0] += weight * sum;
    }
  }
}

// Gradients of second order: least squares over the four neighbours of a cell, three variables.
inline void solve_symmetric(double (*a)[3], double (*b)[3]) {
  double l[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = a[i][j];
      for (int k = 0; k < j; ++k) sum -= l[i][k] * l[j][k];
      l[i][j] = i == j ? std::sqrt(sum) : sum / l[j][j];
    }
  for (int v = 0; v < 3; ++v) {
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k < i; ++k) b[v][i] -= l[i][k] * b[v][k];
      b[v][i] /= l[i][i];
    }
    for (int i = 2; i >= 0; --i) {
      for (int k = i + 1; k < 3; ++k) b[v][i] -= l[k][i] * b[v][k];
      b[v][i] /= l[i][i];
    }
  }
}

inline void least_squares(const double* x, const double* q, const double* const* xs,
                          const double* const* qs, double* gradient) {
  double a[3][3] = {{1e-9, 0, 0}, {0, 1e-9, 0}, {0, 0, 1e-9}}, b[3][3] = {};
  for (int n = 0; n < 6; ++n) {
    double d[3], length = 0;
    for (int i = 0; i < 3; ++i) {
      d[i] = xs[n][i] - x[i];
      length += d[i] * d[i];
    }
    const double weight = 1 / length;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) a[i][j] += weight * d[i] * d[j];
      for (int v = 0; v < 3; ++v) b[v][i] += weight * d[i] * (qs[n][v] - q[v]);
    }
  }
  solve_symmetric(a, b);
  for (int v = 0; v < 3; ++v)
    for (int i = 0; i < 3; ++i) gradient[3 * v + i] = b[v][i];
}

// Jumps over faces between two elements with four modes each, four points.
constexpr double face_basis[4][4] = {{1, -0.774596669241483, -0.774596669241483, 0.6},
                                     {1, 0.774596669241483, -0.774596669241483, -0.6},
                                     {1, -0.774596669241483, 0.774596669241483, -0.6},
                                     {1, 0.774596669241483, 0.774596669241483, 0.6}};
constexpr double face_weight[4] = {0.25, 0.25, 0.25, 0.25};

inline void face_jump(const double* geometry, const double* ql, const double* qr, double* rl,
                      double* rr) {
  for (int p = 0; p < 4; ++p) {
    double left[3] = {}, right[3] = {};
    for (int v = 0; v < 3; ++v)
      for (int m = 0; m < 4; ++m) {
        left[v] += face_basis[p][m] * ql[4 * v + m];
        right[v] += face_basis[3 - p][m] * qr[4 * v + m];
      }
    const double speed = geometry[0] * left[0] + geometry[1] * right[1];
    double flux[3];
    for (int v = 0; v < 3; ++v)
      flux[v] = 0.5 * speed * (left[v] + right[v]) + 0.5 * std::fabs(speed) * (left[v] - right[v]);
    for (int v = 0; v < 3; ++v)
      for (int m = 0; m < 4; ++m) {
        rl[4 * v + m] -= face_weight[p] * flux[v] * face_basis[p][m];
        rr[4 * v + m] += face_weight[p] * flux[v] * face_basis[3 - p][m];
      }
  }
}

// Tetrahedra, 4 nodes: elasticity with one point, from the displacements to the forces.
inline void elastic_tetrahedron(const double* const* x, const double* const* u, double* const* f) {
  double edge[3][3];
  for (int i = 0; i < 3; ++i)
    for (int d = 0; d < 3; ++d) edge[i][d] = x[1 + i][d] - x[0][d];
  double cofactor[3][3];
  for (int i = 0; i < 3; ++i)
    for (int d = 0; d < 3; ++d)
      cofactor[i][d] = edge[(i + 1) % 3][(d + 1) % 3] * edge[(i + 2) % 3][(d + 2) % 3] -
                       edge[(i + 1) % 3][(d + 2) % 3] * edge[(i + 2) % 3][(d + 1) % 3];
  double six = 0;
  for (int d = 0; d < 3; ++d) six += edge[0][d] * cofactor[0][d];
  double gradient[4][3];
  for (int d = 0; d < 3; ++d) {
    gradient[0][d] = 0;
    for (int i = 0; i < 3; ++i) {
      gradient[1 + i][d] = cofactor[i][d] / six;
      gradient[0][d] -= gradient[1 + i][d];
    }
  }
  double strain[3][3], trace = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      strain[i][j] = 0;
      for (int a = 0; a < 4; ++a)
        strain[i][j] += 0.5 * (u[a][i] * gradient[a][j] + u[a][j] * gradient[a][i]);
    }
  for (int i = 0; i < 3; ++i) trace += strain[i][i];
  for (int a = 0; a < 4; ++a)
    for (int i = 0; i < 3; ++i) {
      double sum = 1.2 * trace * gradient[a][i];
      for (int j = 0; j < 3; ++j) sum += 2 * 0.8 * strain[i][j] * gradient[a][j];
      f[a][i] += six / 6 * sum;
    }
}

// Linear triangles: stiffness and mass, multiplied with u.
inline void linear_triangle(const double* const* x, const double* const* u, double* const* r) {
  double edge[2][2];
  for (int i = 0; i < 2; ++i)
    for (int d = 0; d < 2; ++d) edge[i][d] = x[1 + i][d] - x[0][d];
  const double twice = edge[0][0] * edge[1][1] - edge[0][1] * edge[1][0];
  double gradient[3][2];
  for (int d = 0; d < 2; ++d) {
    gradient[1][d] = (d == 0 ? edge[1][1] : -edge[1][0]) / twice;
    gradient[2][d] = (d == 0 ? -edge[0][1] : edge[0][0]) / twice;
    gradient[0][d] = -gradient[1][d] - gradient[2][d];
  }
  for (int a = 0; a < 3; ++a) {
    double sum = 0;
    for (int b = 0; b < 3; ++b) {
      double k = (a == b ? 2 : 1) * twice / 24;
      for (int d = 0; d < 2; ++d) k += 0.5 * twice * gradient[a][d] * gradient[b][d];
      sum += k * u[b][0];
    }
    r[a][0] += sum;
  }
}

// The consistent mass of a tetrahedron, for three components.
inline void mass_tetrahedron(const double* const* x, const double* const* u, double* const* r) {
  double edge[3][3];
  for (int i = 0; i < 3; ++i)
    for (int d = 0; d < 3; ++d) edge[i][d] = x[1 + i][d] - x[0][d];
  double six = 0;
  for (int d = 0; d < 3; ++d)
    six += edge[0][d] * (edge[1][(d + 1) % 3] * edge[2][(d + 2) % 3] -
                         edge[1][(d + 2) % 3] * edge[2][(d + 1) % 3]);
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b)
      for (int d = 0; d < 3; ++d) r[a][d] += six / 120 * (a == b ? 2 : 1) * u[b][d];
}

// Bilinear quadrilaterals, 2 x 2 points.
inline void quadrilateral(const double* const* x, const double* const* u, double* const* r) {
  const double corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  for (int q = 0; q < 4; ++q) {
    const double s = 0.57735026918962576 * corner[q][0], t = 0.57735026918962576 * corner[q][1];
    double local[4][2], jacobian[2][2] = {{0, 0}, {0, 0}};
    for (int a = 0; a < 4; ++a) {
      local[a][0] = 0.25 * corner[a][0] * (1 + corner[a][1] * t);
      local[a][1] = 0.25 * corner[a][1] * (1 + corner[a][0] * s);
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) jacobian[i][j] += x[a][i] * local[a][j];
    }
    const double volume = jacobian[0][0] * jacobian[1][1] - jacobian[0][1] * jacobian[1][0];
    double gradient[4][2], du[2] = {0, 0};
    for (int a = 0; a < 4; ++a) {
      gradient[a][0] = (jacobian[1][1] * local[a][0] - jacobian[1][0] * local[a][1]) / volume;
      gradient[a][1] = (jacobian[0][0] * local[a][1] - jacobian[0][1] * local[a][0]) / volume;
      for (int d = 0; d < 2; ++d) du[d] += gradient[a][d] * u[a][0];
    }
    for (int a = 0; a < 4; ++a)
      for (int d = 0; d < 2; ++d) r[a][0] += volume * gradient[a][d] * du[d];
  }
}

// A weighted mean of the neighbours.
inline void smooth(const double* x, const double* const* xs, const double* const* us,
                   double* mean) {
  double sum = 0, weights = 0;
  for (int n = 0; n < 6; ++n) {
    double length = 0;
    for (int d = 0; d < 3; ++d) length += (xs[n][d] - x[d]) * (xs[n][d] - x[d]);
    const double weight = 1 / std::sqrt(length);
    sum += weight * us[n][0];
    weights += weight;
  }
  mean[0] = sum / weights;
}

// Reconstruction of fifth order with nonlinear weights, from values along a line.
inline void weno(const double* const* q, double* face) {
  const double ideal[3] = {0.1, 0.6, 0.3};
  const double part[3][3] = {
      {1.0 / 3, -7.0 / 6, 11.0 / 6}, {-1.0 / 6, 5.0 / 6, 1.0 / 3}, {1.0 / 3, 5.0 / 6, -1.0 / 6}};
  const double slope[3][3] = {{1, -4, 3}, {1, 0, -1}, {3, -4, 1}};
  double sum = 0, weights = 0;
  for (int k = 0; k < 3; ++k) {
    double value = 0, first = 0;
    for (int i = 0; i < 3; ++i) {
      value += part[k][i] * q[k + i][0];
      first += slope[k][i] * q[k + i][0];
    }
    const double second = q[k][0] - 2 * q[k + 1][0] + q[k + 2][0];
    const double roughness = 13.0 / 12 * second * second + 0.25 * first * first + 1e-6;
    const double weight = ideal[k] / (roughness * roughness);
    sum += weight * value;
    weights += weight;
  }
  face[0] = sum / weights;
}
