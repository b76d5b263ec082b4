// SPDX-License-Identifier: BSD-3-Clause
// Two loops over edges that depend on each other through nodes, the loop that initialises them, and
// checks.
// Everything is linear, so that the result is known (expected_flux).
#pragma once

#include <cmath>

#include <op2/op2.hpp>

namespace loop_chain {

/// Factor of the flux in the update, if the update reads it. A constant of the kernels.
inline const double feedback = 0.1;

OP_KERNEL(prepare,
          (const double* mode, const double* amplitude, double* state, double* first,
           double* second, double* flux),
          {
            for (int n = 0; n < 4; ++n) {
              state[n] = *amplitude * mode[n];
              first[n] = 0;
              second[n] = 0;
              flux[n] = 0;
            }
          });

OP_KERNEL(update,
          (const double* state1, const double* state2, const double* weight, double* first1,
           double* first2, double* second1, double* second2),
          {
            for (int n = 0; n < 4; ++n) {
              const double difference = state1[n] - state2[n];
              first1[n] += weight[0] * difference;
              first2[n] -= weight[0] * difference;
              second1[n] += weight[1] * difference;
              second2[n] -= weight[1] * difference;
            }
          });

/// The same with a state that the flux changes.
OP_KERNEL(update_with_feedback,
          (const double* state1, const double* state2, const double* flux1, const double* flux2,
           const double* weight, double* first1, double* first2, double* second1, double* second2),
          {
            for (int n = 0; n < 4; ++n) {
              const double difference = state1[n] - state2[n] + feedback * (flux1[n] - flux2[n]);
              first1[n] += weight[0] * difference;
              first2[n] -= weight[0] * difference;
              second1[n] += weight[1] * difference;
              second2[n] -= weight[1] * difference;
            }
          });

OP_KERNEL(edge_flux,
          (const double* first1, const double* first2, const double* second1, const double* second2,
           const double* weight, double* flux1, double* flux2),
          {
            for (int n = 0; n < 4; ++n) {
              const double flow =
                  weight[0] * (first1[n] - first2[n]) + weight[1] * (second1[n] - second2[n]);
              flux1[n] += flow;
              flux2[n] -= flow;
            }
          });

/// @param expected  flux over mode
OP_KERNEL(compare,
          (const double* flux, const double* mode, const double* expected, double* deviation,
           double* sum_of_squares),
          {
            for (int n = 0; n < 4; ++n) {
              const double here = std::fabs(flux[n] - expected[n] * mode[n]);
              *deviation = here > *deviation ? here : *deviation;
              *sum_of_squares += flux[n] * flux[n];
            }
          });

}  // namespace loop_chain
