// SPDX-License-Identifier: BSD-3-Clause
// Which loops GPUs run, and which of them become one kernel.
#pragma once

#include <map>
#include <string>

#include <jit/target/target_rules.hpp>

namespace op2::jit {

class CudaRules final : public TargetRules {
 public:
  /// @param increments  OP2_GPU_INC
  CudaRules(core::Increments increments, bool reproducible)
      : increments_(increments), reproducible_(reproducible) {}

  bool can_run(std::span<const ArgShape> args) const override;

  /// A device cannot run one colour alone; with OP2_REPRODUCIBLE=on the bits of some loops would be
  /// others there.
  std::string reason_for_host(op_kernel kernel, bool in_colours,
                              std::span<const ArgShape> args) const override;

  bool gathers() const override { return !reproducible_; }
  Gathering gathering_of(std::span<const ArgShape> args) const override;
  bool can_gather(std::span<const ArgShape> args,
                  std::span<const std::int32_t> gathered) const override;

 private:
  const core::Increments increments_;
  const bool reproducible_;
  mutable std::map<op_kernel, std::string> reasons_of_sources_;
};

}  // namespace op2::jit
