// SPDX-License-Identifier: BSD-3-Clause
// What the loops compute: sums, products, means over periodic pairs, now and then a root, as much
// work for their data as in a flow solver, but no physics. All values stay of the order of one.
#pragma once

#include <cmath>

#include <op2/op2.hpp>

namespace hydra_chains {

// Loops before the chains: values change in owned rows only, so that copies of them are outdated.

OP_KERNEL(start_weights, (const double* x, double* qo), {
  for (int n = 0; n < 6; ++n) qo[n] = 0.25 * qo[n] + 0.1 * x[n % 3];
});

OP_KERNEL(relax_volume, (const double* x, double* vol),
          { *vol = 0.75 * *vol + 0.25 * (1 + x[0] * x[1]); });

OP_KERNEL(start_limits, (const double* x, double* q9), {
  for (int n = 0; n < 9; ++n) q9[n] = 0.1 * n + x[n / 3] * x[n % 3];
});

/// Its sums make the loop before it run on two layers with chains.
OP_KERNEL(spread_limits, (const double* q1, const double* q2, double* sum1, double* sum2), {
  for (int n = 0; n < 6; ++n) {
    sum1[n] += 0.1 * q2[n + 3];
    sum2[n] += 0.1 * q1[n];
  }
});
OP_KERNEL(spread_sums, (const double* sum1, const double* sum2, double* to1, double* to2), {
  for (int n = 0; n < 6; ++n) {
    to1[n] += 0.1 * sum2[n];
    to2[n] += 0.1 * sum1[n];
  }
});

OP_KERNEL(relax_gradients, (const double* x, double* q, double* qp, double* ql), {
  for (int n = 0; n < 6; ++n) {
    q[n] = 0.75 * q[n] + 0.25 * x[n % 3];
    qp[n] = 0.5 * qp[n];
  }
  for (int n = 0; n < 18; ++n) ql[n] = 0.25 * ql[n];
});

OP_KERNEL(relax_state,
          (const double* x, double* qp, double* xp, double* ql, double* qmu, double* qrg), {
            for (int n = 0; n < 6; ++n) {
              qp[n] = 0.75 * qp[n] + 0.25 * x[n % 3];
              qrg[n] = 0.5 * qrg[n] + 0.125 * (n + x[2 - n % 3]);
            }
            for (int n = 0; n < 3; ++n) xp[n] = 0.9 * xp[n] + 0.1 * x[n];
            for (int n = 0; n < 18; ++n) ql[n] = 0.75 * ql[n];
            *qmu = 0.5 * *qmu + 0.5 * (1 + x[0]);
          });

OP_KERNEL(relax_reference, (const double* x, double* qrg), {
  for (int n = 0; n < 6; ++n) qrg[n] = 0.75 * qrg[n] + 0.25 * x[n % 3];
});

OP_KERNEL(relax_jacobian, (const double* x, double* jac, double* jaca), {
  for (int n = 0; n < 25; ++n) jac[n] = 0.5 * jac[n] + 0.1 * x[n % 3];
  *jaca = 0.5 * *jaca + x[1];
});

// Chain weight.

OP_KERNEL(sumbwts, (const double* kind, double* qo), {
  for (int n = 0; n < 6; ++n) qo[n] += *kind / (1 + n);
});

OP_KERNEL(periodsym, (const double* weight, double* low, double* high), {
  for (int n = 0; n < 6; ++n) {
    const double mean = *weight * low[n] + (1 - *weight) * high[n];
    const double sign = n == 1 ? -1 : 1;
    low[n] = mean;
    high[n] = sign * mean;
  }
});

OP_KERNEL(centreline, (double* qo), {
  for (int n = 0; n < 6; ++n) qo[n] = 0.5;
});

OP_KERNEL(edglength, (const double* x1, const double* x2, double* qo1, double* qo2), {
  double square = 0;
  for (int d = 0; d < 3; ++d) square += (x1[d] - x2[d]) * (x1[d] - x2[d]);
  const double length = std::sqrt(square);
  for (int n = 0; n < 6; ++n) {
    qo1[n] += length / (1 + n);
    qo2[n] += length / (2 + n);
  }
});

/// Each edge changes what the next one at the same node finds.
OP_KERNEL(edglength_published, (const double* x1, const double* x2, double* qo1, double* qo2), {
  double square = 0;
  for (int d = 0; d < 3; ++d) square += (x1[d] - x2[d]) * (x1[d] - x2[d]);
  const double length = std::sqrt(square);
  for (int n = 0; n < 6; ++n) {
    const double difference = 0.1 * (qo2[n] - qo1[n]);
    qo1[n] = 0.9 * qo1[n] + length / (1 + n) + difference;
    qo2[n] = 0.9 * qo2[n] + length / (2 + n) - difference;
  }
});

OP_KERNEL(periodicity, (const double* weight, double* low, double* high), {
  for (int n = 0; n < 6; ++n) {
    const double mean = *weight * low[n] + (1 - *weight) * high[n];
    low[n] = mean;
    high[n] = mean;
  }
});

// Chain period.

OP_KERNEL(negflag, (double* low, double* high), {
  const double mean = 0.5 * (std::fabs(*low) + std::fabs(*high));
  *low = mean;
  *high = mean;
});

OP_KERNEL(limxp, (const double* vol1, const double* vol2, double* q1, double* q2), {
  const double step = *vol2 - *vol1;
  for (int n = 0; n < 9; ++n) {
    q1[n] += step / (1 + n);
    q2[n] -= step / (2 + n);
  }
});

OP_KERNEL(limxp_published, (const double* vol1, const double* vol2, double* q1, double* q2), {
  const double step = 0.1 * (*vol2 - *vol1);
  for (int n = 0; n < 9; ++n) {
    const double least = q1[n] < q2[n] ? q1[n] : q2[n];
    q1[n] = 0.5 * (q1[n] + least) + step;
    q2[n] = 0.5 * (q2[n] + least) - step;
  }
});

OP_KERNEL(periodicity_of_limits, (const double* weight, double* low, double* high), {
  for (int n = 0; n < 9; ++n) {
    const double mean = *weight * low[n] + (1 - *weight) * high[n];
    low[n] = mean;
    high[n] = mean;
  }
});

// Chain gradl.

OP_KERNEL(edgecon,
          (const double* area, const double* q1, const double* q2, double* qp1, double* qp2,
           double* ql1, double* ql2),
          {
            for (int n = 0; n < 6; ++n) {
              const double mean = 0.5 * (q1[n] + q2[n]);
              const double step = 0.1 * (q2[n] - q1[n]);
              qp1[n] += step;
              qp2[n] -= step;
              for (int d = 0; d < 3; ++d) {
                ql1[3 * n + d] += area[d] * mean;
                ql2[3 * n + d] -= area[d] * mean;
              }
            }
          });

OP_KERNEL(gradl_period, (const double* weight, double* qp1, double* qp2, double* ql1, double* ql2),
          {
            for (int n = 0; n < 6; ++n) {
              const double mean = *weight * qp1[n] + (1 - *weight) * qp2[n];
              qp1[n] = mean;
              qp2[n] = mean;
            }
            for (int n = 0; n < 18; ++n) {
              const double mean = *weight * ql1[n] + (1 - *weight) * ql2[n];
              ql1[n] = mean;
              ql2[n] = mean;
            }
          });

// Chains vflux and iflux.

OP_KERNEL(initres, (double* res), {
  for (int n = 0; n < 6; ++n) res[n] = 0;
});

OP_KERNEL(vflux_edge,
          (const double* area, const double* qp1, const double* qp2, const double* x1,
           const double* x2, const double* ql1, const double* ql2, const double* qmu1,
           const double* qmu2, const double* qrg1, const double* qrg2, double* res1, double* res2),
          {
            double square = 0.01;
            for (int d = 0; d < 3; ++d) square += (x2[d] - x1[d]) * (x2[d] - x1[d]);
            const double mu = 0.05 * (*qmu1 + *qmu2) / std::sqrt(square);
            for (int n = 0; n < 6; ++n) {
              double slope = qp2[n] - qp1[n] + 0.1 * (qrg1[n] + qrg2[n]);
              for (int d = 0; d < 3; ++d) slope += area[d] * (ql1[3 * n + d] + ql2[3 * n + d]);
              res1[n] += mu * slope;
              res2[n] -= mu * slope;
            }
          });

OP_KERNEL(initviscres, (double* vres), {
  for (int n = 0; n < 6; ++n) vres[n] = 0;
});

OP_KERNEL(iflux_edge,
          (const double* area, const double* qrg1, const double* qrg2, double* vres1,
           double* vres2),
          {
            const double speed =
                area[0] * (qrg1[1] + qrg2[1]) + area[1] * (qrg1[2] + qrg2[2]) + area[2];
            for (int n = 0; n < 6; ++n) {
              const double flow = 0.1 * speed * (qrg1[n] + qrg2[n]);
              vres1[n] += flow;
              vres2[n] -= flow;
            }
          });

// Chain jacob.

OP_KERNEL(jac_period,
          (const double* weight, double* jac1, double* jac2, double* jaca1, double* jaca2), {
            for (int n = 0; n < 25; ++n) {
              const double mean = *weight * jac1[n] + (1 - *weight) * jac2[n];
              jac1[n] = mean;
              jac2[n] = mean;
            }
            const double mean = 0.5 * (*jaca1 + *jaca2);
            *jaca1 = mean;
            *jaca2 = mean;
          });

OP_KERNEL(jac_centreline, (double* jac), {
  for (int n = 0; n < 25; ++n) jac[n] = n % 6 == 0 ? 1 : 0;
});

OP_KERNEL(jac_corrections, (const double* kind, double* jac), {
  for (int n = 0; n < 5; ++n) {
    jac[n] = 0.5 * *kind * jac[n + 5];
    jac[6 * n] += 0.1;
  }
});

// After the chains.

OP_KERNEL(step, (const double* res, const double* vres, double* q, double* norm), {
  for (int n = 0; n < 6; ++n) {
    const double change = 0.01 * (res[n] + vres[n]);
    q[n] = q[n] + change;
    *norm += change * change;
  }
});

}  // namespace hydra_chains
