// SPDX-License-Identifier: BSD-3-Clause
// Airfoil by hand for the vectors of the processor: what an expert gains without changing the order
// of the loops.
#pragma once

#include "hand_airfoil.hpp"

namespace bench {

/// The same threads and slabs as HandAirfoil; elements in blocks that fill a vector.
class HandAirfoilSimd : public HandAirfoil {
 public:
  using HandAirfoil::HandAirfoil;

 private:
  void work(const Slab& slab, int iterations, std::barrier<>& all_threads, double& rms) override;
};

}  // namespace bench
