// SPDX-License-Identifier: BSD-3-Clause
#include "work_meter.hpp"

#include <utility>

#include <op2/op2.hpp>

namespace netmodel {

WorkMeter::WorkMeter(WorkCosts costs)
    : costs_(std::move(costs)), loops_(costs_.loops.size(), {0, 0}) {}

double WorkMeter::take() {
  const double now = counted();
  const double seconds = now - before_;
  before_ = now;
  return seconds > 0 ? seconds : 0;  // the counters begin at 0 with every op_init
}

double WorkMeter::counted() {
  double seconds = costs_.packed_row * static_cast<double>(op_get_chain_statistics().packed_rows);
  for (std::size_t k = 0; k < costs_.loops.size(); ++k) {
    const LoopCost& cost = costs_.loops[k];
    Counted& loop = loops_[k];
    const std::int64_t all = op_get_loop_iterations(cost.loop.c_str());
    if (all != loop.iterations) {
      const auto tiled = static_cast<double>(op_get_tiled_iterations(cost.loop.c_str()));
      loop = {all, cost.tiled * tiled + cost.seconds * (static_cast<double>(all) - tiled)};
    }
    seconds += loop.seconds;
  }
  return seconds;
}

}  // namespace netmodel
