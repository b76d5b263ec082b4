// SPDX-License-Identifier: BSD-3-Clause
#include <sched/host_reasons.hpp>

#include <jit/loop_request.hpp>
#include <jit/target/cuda/ordered_sums.hpp>
#include <jit/target/cuda/other_bits.hpp>
#include <sched/shapes.hpp>

namespace op2::sched {

std::string HostReasons::of(op_kernel kernel, bool in_colours,
                            std::span<const core::LoopArg> args) const {
  if (!on_device_) return {};
  if (in_colours) return "its elements use rows that others modify, so they run in colours";
  if (!reproducible_) return {};
  if (jit::bytes_of_sums(arg_shapes(args)) > jit::most_bytes_of_sums)
    return "its sums have too many components for a GPU's exact sums";
  const auto [reason, is_new] = of_source_.try_emplace(kernel);
  if (is_new) reason->second = jit::other_bits(jit::call_of(*kernel, {}));
  return reason->second;
}

}  // namespace op2::sched
