// SPDX-License-Identifier: BSD-3-Clause
// What a program seems to have forgotten.
#include <algorithm>

#include <api/runtime.hpp>

namespace op2::api {

/// On one rank of several, by what that rank has executed: costs no message.
void Runtime::mention_partition() {
  if (partitioned || !ranks().is_root()) return;
  constexpr std::int64_t enough = 20'000;  // iterations
  constexpr double large = 0.2;            // of them
  const op_chain_statistics& of = engine.statistics();
  const std::int64_t all = of.core_iterations + of.rest_iterations;
  const double share = static_cast<double>(of.redundant_iterations) /
                       static_cast<double>(std::max<std::int64_t>(all, 1));
  if (all < enough || share < large) return;
  log.warning_once("partition",
                   fmt::format("op_partition was not called: each rank owns the elements that it "
                               "declares, and {:.0f} % of {} iterations of rank 0 are redundant; "
                               "call op_partition before the first loop",
                               100 * share, all));
}

}  // namespace op2::api
