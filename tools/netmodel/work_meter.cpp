// SPDX-License-Identifier: BSD-3-Clause
#include "work_meter.hpp"

#include <utility>

#include <op2/op2.hpp>

namespace netmodel {

WorkMeter::WorkMeter(WorkCosts costs) : costs_(std::move(costs)) {}

double WorkMeter::take() {
  const double now = counted();
  const double seconds = now - before_;
  before_ = now;
  return seconds > 0 ? seconds : 0;  // the counters begin at 0 with every op_init
}

double WorkMeter::counted() const {
  double seconds = costs_.packed_row * static_cast<double>(op_get_chain_statistics().packed_rows);
  for (const LoopCost& cost : costs_.loops) {
    const auto tiled = static_cast<double>(op_get_tiled_iterations(cost.loop.c_str()));
    const auto all = static_cast<double>(op_get_loop_iterations(cost.loop.c_str()));
    seconds += cost.tiled * tiled + cost.seconds * (all - tiled);
  }
  return seconds;
}

}  // namespace netmodel
