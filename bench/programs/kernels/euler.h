// SPDX-License-Identifier: BSD-3-Clause
// Fluxes through the faces of a compressible viscous flow in 3D: six variables (the sixth is
// carried along), second order with a limiter, HLLC, viscous terms. Written as such programs are:
// kernels that call helpers with structures and local arrays.

constexpr int variables = 6, directions = 3;
constexpr double gamma_gas = 1.4, prandtl = 0.72;

struct State {
  double density, velocity[directions], pressure, carried;
};

inline State state_of(const double* q) {
  State s;
  s.density = q[0];
  for (int d = 0; d < directions; ++d) s.velocity[d] = q[1 + d] / q[0];
  double kinetic = 0;
  for (int d = 0; d < directions; ++d) kinetic += s.velocity[d] * s.velocity[d];
  s.pressure = (gamma_gas - 1) * (q[4] - 0.5 * q[0] * kinetic);
  s.carried = q[5] / q[0];
  return s;
}

inline double sound_speed(const State& s) {
  return std::sqrt(gamma_gas * s.pressure / s.density);
}

inline double along(const double* a, const double* b) {
  double sum = 0;
  for (int d = 0; d < directions; ++d) sum += a[d] * b[d];
  return sum;
}

inline double limited(double slope, double jump) {
  const double eps = 1e-12;
  if (slope * jump <= 0) return 0;
  return (slope * (jump * jump + eps) + jump * (slope * slope + eps)) /
         (slope * slope + jump * jump + 2 * eps);
}

inline void reconstruct(const double* q, const double* gradient, const double* offset,
                        const double* other, double* out) {
  for (int v = 0; v < variables; ++v) {
    const double slope = along(gradient + directions * v, offset);
    out[v] = q[v] + limited(slope, 0.5 * (other[v] - q[v]));
  }
}

inline void physical_flux(const State& s, const double* q, const double* normal, double* flux) {
  const double through = along(s.velocity, normal);
  flux[0] = q[0] * through;
  for (int d = 0; d < directions; ++d) flux[1 + d] = q[1 + d] * through + s.pressure * normal[d];
  flux[4] = (q[4] + s.pressure) * through;
  flux[5] = q[5] * through;
}

inline void star_state(const State& s, const double* q, const double* normal, double through,
                       double speed, double star, double* out) {
  const double factor = s.density * (speed - through) / (speed - star);
  out[0] = factor;
  for (int d = 0; d < directions; ++d)
    out[1 + d] = factor * (s.velocity[d] + (star - through) * normal[d]);
  out[4] = factor * (q[4] / s.density +
                     (star - through) * (star + s.pressure / (s.density * (speed - through))));
  out[5] = factor * s.carried;
}

inline void hllc(const double* left, const double* right, const double* normal, double* flux) {
  const State l = state_of(left), r = state_of(right);
  const double ul = along(l.velocity, normal), ur = along(r.velocity, normal);
  const double cl = sound_speed(l), cr = sound_speed(r);
  const double sl = std::min(ul - cl, ur - cr), sr = std::max(ul + cl, ur + cr);
  const double star =
      (r.pressure - l.pressure + l.density * ul * (sl - ul) - r.density * ur * (sr - ur)) /
      (l.density * (sl - ul) - r.density * (sr - ur));
  if (sl >= 0) {
    physical_flux(l, left, normal, flux);
  } else if (sr <= 0) {
    physical_flux(r, right, normal, flux);
  } else if (star >= 0) {
    double u[variables];
    physical_flux(l, left, normal, flux);
    star_state(l, left, normal, ul, sl, star, u);
    for (int v = 0; v < variables; ++v) flux[v] += sl * (u[v] - left[v]);
  } else {
    double u[variables];
    physical_flux(r, right, normal, flux);
    star_state(r, right, normal, ur, sr, star, u);
    for (int v = 0; v < variables; ++v) flux[v] += sr * (u[v] - right[v]);
  }
}

inline double viscosity_at(double temperature) {
  return 1.458e-3 * temperature * std::sqrt(temperature) / (temperature + 0.4);
}

inline void viscous(const State& l, const State& r, const double* gl, const double* gr,
                    const double* normal, double* flux) {
  double gradient[directions][directions], heat[directions], velocity[directions];
  const double tl = l.pressure / l.density, tr = r.pressure / r.density;
  const double mu = viscosity_at(0.5 * (tl + tr));
  for (int i = 0; i < directions; ++i) {
    velocity[i] = 0.5 * (l.velocity[i] + r.velocity[i]);
    for (int j = 0; j < directions; ++j)
      gradient[i][j] = 0.5 * (gl[directions * (1 + i) + j] + gr[directions * (1 + i) + j]);
    heat[i] = 0.5 * (gl[directions * 4 + i] + gr[directions * 4 + i]);
  }
  double dilatation = 0;
  for (int i = 0; i < directions; ++i) dilatation += gradient[i][i];
  double work = 0;
  for (int i = 0; i < directions; ++i) {
    double traction = -2.0 / 3.0 * dilatation * normal[i];
    for (int j = 0; j < directions; ++j) traction += (gradient[i][j] + gradient[j][i]) * normal[j];
    flux[1 + i] -= mu * traction;
    work += traction * velocity[i];
  }
  flux[4] -= mu * (work + along(heat, normal) / prandtl);
}

// Face flux of second order; geometry: normal times area, offsets of the face from both cells.
inline void face_flux(const double* geometry, const double* ql, const double* qr, const double* gl,
                      const double* gr, double* rl, double* rr) {
  const double area = std::sqrt(along(geometry, geometry));
  double normal[directions], left[variables], right[variables], flux[variables];
  for (int d = 0; d < directions; ++d) normal[d] = geometry[d] / area;
  reconstruct(ql, gl, geometry + 3, qr, left);
  reconstruct(qr, gr, geometry + 6, ql, right);
  hllc(left, right, normal, flux);
  viscous(state_of(left), state_of(right), gl, gr, normal, flux);
  for (int v = 0; v < variables; ++v) {
    rl[v] -= area * flux[v];
    rr[v] += area * flux[v];
  }
}

// The same of first order, without viscosity.
inline void face_flux_first(const double* geometry, const double* ql, const double* qr, double* rl,
                            double* rr) {
  const double area = std::sqrt(along(geometry, geometry));
  double normal[directions], flux[variables];
  for (int d = 0; d < directions; ++d) normal[d] = geometry[d] / area;
  hllc(ql, qr, normal, flux);
  for (int v = 0; v < variables; ++v) {
    rl[v] -= area * flux[v];
    rr[v] += area * flux[v];
  }
}

// Gradients by Gauss' theorem: the mean of both cells, in the direction of the normal.
inline void face_gradient(const double* geometry, const double* ql, const double* qr, double* gl,
                          double* gr) {
  for (int v = 0; v < variables; ++v)
    for (int d = 0; d < directions; ++d) {
      const double part = 0.5 * (ql[v] + qr[v]) * geometry[d];
      gl[directions * v + d] += part;
      gr[directions * v + d] -= part;
    }
}

// The largest step that a cell allows.
inline void local_step(const double* q, const double* volume, double* step) {
  const State s = state_of(q);
  double speed = sound_speed(s);
  for (int d = 0; d < directions; ++d) speed += std::fabs(s.velocity[d]);
  step[0] = volume[0] / speed;
}

// Flux with the dissipation of the fastest wave.
inline void face_rusanov(const double* geometry, const double* ql, const double* qr, double* rl,
                         double* rr) {
  const double area = std::sqrt(along(geometry, geometry));
  double normal[directions], fl[variables], fr[variables];
  for (int d = 0; d < directions; ++d) normal[d] = geometry[d] / area;
  const State l = state_of(ql), r = state_of(qr);
  physical_flux(l, ql, normal, fl);
  physical_flux(r, qr, normal, fr);
  const double fastest = std::max(std::fabs(along(l.velocity, normal)) + sound_speed(l),
                                  std::fabs(along(r.velocity, normal)) + sound_speed(r));
  for (int v = 0; v < variables; ++v) {
    const double flux = 0.5 * area * (fl[v] + fr[v] - fastest * (qr[v] - ql[v]));
    rl[v] -= flux;
    rr[v] += flux;
  }
}

// Viscous terms alone.
inline void face_viscous(const double* geometry, const double* ql, const double* qr,
                         const double* gl, const double* gr, double* rl, double* rr) {
  double flux[variables] = {};
  viscous(state_of(ql), state_of(qr), gl, gr, geometry, flux);
  for (int v = 0; v < variables; ++v) {
    rl[v] -= flux[v];
    rr[v] += flux[v];
  }
}

// At the boundary: the kind is the same for all faces of a part.
inline void boundary_flux(const int* kind, const double* far, const double* geometry,
                          const double* q, double* r) {
  const double area = std::sqrt(along(geometry, geometry));
  double normal[directions], flux[variables];
  for (int d = 0; d < directions; ++d) normal[d] = geometry[d] / area;
  if (*kind == 0) {
    const State s = state_of(q);
    for (int v = 0; v < variables; ++v) flux[v] = 0;
    for (int d = 0; d < directions; ++d) flux[1 + d] = s.pressure * normal[d];
  } else if (*kind == 1) {
    hllc(q, far, normal, flux);
  } else {
    physical_flux(state_of(q), q, normal, flux);
  }
  for (int v = 0; v < variables; ++v) r[v] -= area * flux[v];
}

// A limiter for each variable, by the least and the greatest value around.
inline double smooth_limit(double room, double step, double eps) {
  const double a = room * room + eps;
  return (a + 2 * step * room) / (a + 2 * step * step + room * step);
}

inline void cell_limiter(const double* q, const double* gradient, const double* least,
                         const double* greatest, const double* size, double* limiter) {
  const double eps = size[0] * size[0] * size[0] * 0.3;
  for (int v = 0; v < variables; ++v) {
    double step = 0;
    for (int d = 0; d < directions; ++d)
      step += 0.5 * size[0] * std::fabs(gradient[directions * v + d]);
    double limit = 1;
    if (step > 1e-12) {
      limit = std::min(limit, smooth_limit(greatest[v] - q[v], step, eps));
      limit = std::min(limit, smooth_limit(q[v] - least[v], step, eps));
    }
    limiter[v] = limit;
  }
}

// From conserved to primitive variables and the temperature.
inline void to_primitive(const double* q, double* w) {
  const State s = state_of(q);
  w[0] = s.density;
  for (int d = 0; d < directions; ++d) w[1 + d] = s.velocity[d];
  w[4] = s.pressure;
  w[5] = s.pressure / s.density;
}

// The block of an implicit step: 5 x 5, by elimination without pivots.
inline void solve_block(const double* matrix, const double* right, double* x) {
  double a[5][5], b[5];
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 5; ++j) a[i][j] = matrix[5 * i + j];
    a[i][i] += 4;
    b[i] = right[i];
  }
  for (int k = 0; k < 5; ++k)
    for (int i = k + 1; i < 5; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (int j = k + 1; j < 5; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  for (int i = 4; i >= 0; --i) {
    for (int j = i + 1; j < 5; ++j) b[i] -= a[i][j] * x[j];
    x[i] = b[i] / a[i][i];
  }
}
