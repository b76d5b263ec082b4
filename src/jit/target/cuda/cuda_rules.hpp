// SPDX-License-Identifier: BSD-3-Clause
// Which loops GPUs run, and which of them become one kernel.
#pragma once

#include <map>
#include <string>

#include <jit/target/cuda/gather.hpp>
#include <jit/target/cuda/kernel_parameters.hpp>
#include <jit/target/target.hpp>

namespace op2::jit {

/// What in a kernel's source has other bits on a GPU than on a CPU (OP2_REPRODUCIBLE=on):
/// "it calls 'exp', whose bits on a GPU are not those of a CPU"; empty: nothing. Looks at names
/// alone, in all parts of the source and of the files that it includes, so it may find what a
/// kernel does not use, but misses nothing: sources in which macros make names are taken for such.
std::string other_bits(const KernelCall& call);

class CudaRules final : public TargetRules {
 public:
  /// @param increments  OP2_GPU_INC
  CudaRules(core::Increments increments, bool reproducible)
      : increments_(increments), reproducible_(reproducible) {}

  bool can_run(std::span<const ArgShape> args) const override { return runs_on_device(args); }

  /// A device cannot run one colour alone; with OP2_REPRODUCIBLE=on the bits of some loops would be
  /// others there.
  std::string reason_for_host(op_kernel kernel, bool in_colours,
                              std::span<const ArgShape> args) const override;

  bool gathers() const override { return !reproducible_; }
  Gathering gathering_of(std::span<const ArgShape> args) const override {
    return jit::gathering_of(args, increments_);
  }
  bool can_gather(std::span<const ArgShape> args,
                  std::span<const std::int32_t> gathered) const override {
    return jit::can_gather(args, gathered);
  }

 private:
  const core::Increments increments_;
  const bool reproducible_;
  mutable std::map<op_kernel, std::string> reasons_of_sources_;
};

}  // namespace op2::jit
