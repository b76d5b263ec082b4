// SPDX-License-Identifier: BSD-3-Clause
// Hand-vectorised Airfoil: what an expert gains without changing the order
// of the loops.
#pragma once

#include "hand_airfoil.hpp"

namespace bench {

/// When the program needs the residual: after each half step, or only in the end.
enum class Residuals { each, last };

/// The same threads and slabs as HandAirfoil; elements in blocks that fill a vector.
class HandAirfoilSimd : public HandAirfoil {
 public:
  HandAirfoilSimd(const airfoil::Mesh& mesh, int threads, Residuals residuals)
      : HandAirfoil(mesh, threads), residuals_(residuals) {}

 private:
  void work(const Slab& slab, int iterations, std::barrier<>& all_threads, double& rms) override;

  Residuals residuals_;
};

}  // namespace bench
