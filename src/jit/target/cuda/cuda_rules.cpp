// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cuda/cuda_rules.hpp>

#include <jit/loop_request.hpp>
#include <jit/target/cuda/gather.hpp>
#include <jit/target/cuda/kernel_parameters.hpp>
#include <jit/target/cuda/ordered_sums.hpp>
#include <jit/target/cuda/other_bits.hpp>

namespace op2::jit {

bool CudaRules::can_run(std::span<const ArgShape> args) const {
  return runs_on_device(args);
}

std::string CudaRules::reason_for_host(op_kernel kernel, bool in_colours,
                                       std::span<const ArgShape> args) const {
  if (in_colours) return "its elements use rows that others modify, so they run in colours";
  if (!reproducible_) return {};
  if (bytes_of_sums(args) > most_bytes_of_sums)
    return "its sums have too many components for a GPU's exact sums";
  const auto [reason, is_new] = reasons_of_sources_.try_emplace(kernel);
  if (is_new) reason->second = other_bits(call_of(*kernel, {}));
  return reason->second;
}

Gathering CudaRules::gathering_of(std::span<const ArgShape> args) const {
  return jit::gathering_of(args, increments_);
}

bool CudaRules::can_gather(std::span<const ArgShape> args,
                           std::span<const std::int32_t> gathered) const {
  return jit::can_gather(args, gathered);
}

}  // namespace op2::jit
