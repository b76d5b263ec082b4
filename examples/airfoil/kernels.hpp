// SPDX-License-Identifier: BSD-3-Clause
// The five kernels of Airfoil: the Euler equations in two dimensions, finite volumes with central
// fluxes and scalar dissipation, explicit pseudo time steps. A state q is (density, two components
// of momentum, energy) per volume.
#pragma once

#include <cmath>

#include <op2/op2.hpp>

namespace airfoil {

// Known to the kernels by `op_decl_const`. They are single precision numbers in double variables:
// the reference residuals depend on that.
inline const double gam = 1.4f;  // ratio of specific heats
inline const double gm1 = gam - 1;
inline const double cfl = 0.9f;   // time step over the stability limit
inline const double eps = 0.05f;  // strength of the dissipation
inline const double mach = 0.4f;  // of the undisturbed flow

/// The undisturbed flow (free stream), along x, with density and pressure 1.
inline const double uinf = std::sqrt(gam) * mach;
inline const double qinf[4] = {1, uinf, 0, 1 / gm1 + 0.5 * uinf* uinf};

OP_KERNEL(save_soln, (const double* q, double* qold), {
  for (int n = 0; n < 4; ++n) qold[n] = q[n];
});

/// Area over time step: the speeds of sound waves through the four sides of a cell, summed.
OP_KERNEL(adt_calc,
          (const double* x1, const double* x2, const double* x3, const double* x4, const double* q,
           double* adt),
          {
            const double volume = 1 / q[0];
            const double u = volume * q[1];
            const double v = volume * q[2];
            const double sound = std::sqrt(gam * gm1 * (volume * q[3] - 0.5 * (u * u + v * v)));
            const double* const corner[] = {x1, x2, x3, x4, x1};
            double sum = 0;
            for (int k = 0; k < 4; ++k) {
              const double dx = corner[k + 1][0] - corner[k][0];
              const double dy = corner[k + 1][1] - corner[k][1];
              sum += std::fabs(u * dy - v * dx) + sound * std::sqrt(dx * dx + dy * dy);
            }
            *adt = sum / cfl;
          });

/// The flux from cell 1 to cell 2 through the edge between them.
OP_KERNEL(res_calc,
          (const double* x1, const double* x2, const double* q1, const double* q2,
           const double* adt1, const double* adt2, double* res1, double* res2),
          {
            const double dx = x1[0] - x2[0];
            const double dy = x1[1] - x2[1];
            const double volume1 = 1 / q1[0];
            const double p1 = gm1 * (q1[3] - 0.5 * volume1 * (q1[1] * q1[1] + q1[2] * q1[2]));
            const double speed1 = volume1 * (q1[1] * dy - q1[2] * dx);
            const double volume2 = 1 / q2[0];
            const double p2 = gm1 * (q2[3] - 0.5 * volume2 * (q2[1] * q2[1] + q2[2] * q2[2]));
            const double speed2 = volume2 * (q2[1] * dy - q2[2] * dx);
            const double mu = 0.5 * eps * (*adt1 + *adt2);
            const double f[] = {
                0.5 * (speed1 * q1[0] + speed2 * q2[0]) + mu * (q1[0] - q2[0]),
                0.5 * (speed1 * q1[1] + p1 * dy + speed2 * q2[1] + p2 * dy) + mu * (q1[1] - q2[1]),
                0.5 * (speed1 * q1[2] - p1 * dx + speed2 * q2[2] - p2 * dx) + mu * (q1[2] - q2[2]),
                0.5 * (speed1 * (q1[3] + p1) + speed2 * (q2[3] + p2)) + mu * (q1[3] - q2[3])};
            for (int n = 0; n < 4; ++n) {
              res1[n] += f[n];
              res2[n] -= f[n];
            }
          });

/// At a wall (bound 1) there is only pressure; elsewhere the other side is the undisturbed flow.
OP_KERNEL(bres_calc,
          (const double* x1, const double* x2, const double* q1, const double* adt1, double* res1,
           const int* bound),
          {
            const double dx = x1[0] - x2[0];
            const double dy = x1[1] - x2[1];
            const double volume1 = 1 / q1[0];
            const double p1 = gm1 * (q1[3] - 0.5 * volume1 * (q1[1] * q1[1] + q1[2] * q1[2]));
            if (*bound == 1) {
              res1[1] += p1 * dy;
              res1[2] -= p1 * dx;
            } else {
              const double speed1 = volume1 * (q1[1] * dy - q1[2] * dx);
              const double volume2 = 1 / qinf[0];
              const double p2 =
                  gm1 * (qinf[3] - 0.5 * volume2 * (qinf[1] * qinf[1] + qinf[2] * qinf[2]));
              const double speed2 = volume2 * (qinf[1] * dy - qinf[2] * dx);
              const double mu = eps * *adt1;
              res1[0] += 0.5 * (speed1 * q1[0] + speed2 * qinf[0]) + mu * (q1[0] - qinf[0]);
              res1[1] += 0.5 * (speed1 * q1[1] + p1 * dy + speed2 * qinf[1] + p2 * dy) +
                         mu * (q1[1] - qinf[1]);
              res1[2] += 0.5 * (speed1 * q1[2] - p1 * dx + speed2 * qinf[2] - p2 * dx) +
                         mu * (q1[2] - qinf[2]);
              res1[3] +=
                  0.5 * (speed1 * (q1[3] + p1) + speed2 * (qinf[3] + p2)) + mu * (q1[3] - qinf[3]);
            }
          });

/// A step in pseudo time from qold; sums the squares of the changes.
OP_KERNEL(update, (const double* qold, double* q, double* res, const double* adt, double* rms), {
  const double step = 1 / *adt;
  for (int n = 0; n < 4; ++n) {
    const double change = step * res[n];
    q[n] = qold[n] - change;
    res[n] = 0;
    *rms += change * change;
  }
});

/// Fields for visualisation.
OP_KERNEL(flow_fields, (const double* q, double* density, double* pressure, double* mach_number), {
  const double momentum2 = q[1] * q[1] + q[2] * q[2];
  *density = q[0];
  *pressure = gm1 * (q[3] - 0.5 * momentum2 / q[0]);
  *mach_number = std::sqrt(momentum2 / (q[0] * gam * *pressure));
});

}  // namespace airfoil
