// SPDX-License-Identifier: BSD-3-Clause
// Modelled computation time of this process: the operations that libop2 has counted times the cost
// of each. The load of the machine has no effect.
#pragma once

#include <cstdint>

#include "parameters.hpp"

namespace netmodel {

class WorkMeter {
 public:
  explicit WorkMeter(WorkCosts costs);

  /// Seconds since the last call. 0 while libop2 is not initialised.
  double take();

 private:
  double counted() const;

  WorkCosts costs_;
  double before_ = 0;
};

}  // namespace netmodel
