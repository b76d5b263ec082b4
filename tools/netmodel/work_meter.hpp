// SPDX-License-Identifier: BSD-3-Clause
// How much work this process has done, in seconds of a processor that it has for itself: what
// libop2 has counted, times what each piece costs. Whatever else runs on the machine has no effect.
#pragma once

#include <cstdint>

#include "parameters.hpp"

namespace netmodel {

class WorkMeter {
 public:
  explicit WorkMeter(WorkCosts costs);

  /// Seconds of work since the last call. 0 while libop2 is not running.
  double take();

 private:
  double counted() const;

  WorkCosts costs_;
  double before_ = 0;
};

}  // namespace netmodel
