// SPDX-License-Identifier: BSD-3-Clause
// Kernels and mesh of steps 1 and 2: a net of springs that falls. C++11, as a program for OP2 is.
#pragma once

#include <cmath>
#include <vector>

double stiffness = 50, dt = 0.001;

// A spring pulls its two ends together, or pushes them apart.
inline void pull(const double *x1, const double *x2, const double *length, double *f1, double *f2) {
  const double d[3] = {x2[0] - x1[0], x2[1] - x1[1], x2[2] - x1[2]};
  const double now = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  for (int k = 0; k < 3; ++k) {
    const double force = stiffness * (now - *length) / now * d[k];
    f1[k] += force;
    f2[k] -= force;
  }
}

// A mass of 0.01 falls, with friction; where free is 0 it is held. The next forces begin at zero.
inline void fall(const double *free, double *f, double *v, double *x) {
  for (int k = 0; k < 3; ++k) {
    const double a = f[k] / 0.01 - (k == 2 ? 9.81 : 0) - 2 * v[k];
    v[k] += *free * dt * a;
    x[k] += dt * v[k];
    f[k] = 0;
  }
}

inline void measure(const double *v, double *energy) {
  *energy += 0.005 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// A square of side x side masses, one apart of the next; its corners are held.
struct Net {
  int side;
  std::vector<int> ends;              // of the springs, 2 each
  std::vector<double> x, length, free;  // 3, 1 and 1 each

  int masses() const { return side * side; }
  int springs() const { return static_cast<int>(length.size()); }
};

inline Net make_net(int side) {
  Net net{side, {}, {}, {}, {}};
  for (int k = 0; k < side * side; ++k) {
    const int i = k % side, j = k / side;
    net.x.insert(net.x.end(), {double(i) / side, double(j) / side, 0});
    net.free.push_back((i == 0 || i == side - 1) && (j == 0 || j == side - 1) ? 0 : 1);
    if (i + 1 < side) net.ends.insert(net.ends.end(), {k, k + 1});
    if (j + 1 < side) net.ends.insert(net.ends.end(), {k, k + side});
  }
  net.length.assign(net.ends.size() / 2, 1.0 / side);
  return net;
}
