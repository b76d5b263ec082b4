// SPDX-License-Identifier: BSD-3-Clause
// Modelled computation time of this process: the operations that libop2 has counted times the cost
// of each. The load of the machine has no effect.
#pragma once

#include <cstdint>
#include <vector>

#include "parameters.hpp"

namespace netmodel {

class WorkMeter {
 public:
  explicit WorkMeter(WorkCosts costs);

  /// Seconds since the last call. 0 while libop2 is not initialised.
  double take();

 private:
  /// What a loop has taken so far.
  struct Counted {
    std::int64_t iterations;
    double seconds;
  };
  double counted();

  WorkCosts costs_;
  std::vector<Counted> loops_;  ///< as the loops of the costs
  double before_ = 0;
};

}  // namespace netmodel
