// SPDX-License-Identifier: BSD-3-Clause
// A plan on an emulated device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <comm/halo/halo_exchange.hpp>
#include <sched/executor/executor.hpp>

#include "device_space.hpp"
#include "step_block.hpp"
#include "step_kernel.hpp"

namespace op2::test::gpu {

class DeviceIndices;

class DevicePlan final : public sched::PreparedPlan {
 public:
  using Exchanges = std::vector<std::unique_ptr<comm::HaloExchange>>;  ///< per chain; null: none

  /// The references outlive it.
  DevicePlan(const sched::Plan& plan, Exchanges exchanges, DeviceSpace& space,
             DeviceIndices& indices);
  ~DevicePlan() override;

  void pack_and_start(std::size_t chain, std::uint64_t fingerprint) override {
    exchanges_[chain]->pack(fingerprint);
  }
  void run(std::size_t chain, sched::Phase phase, core::Queue& queue,
           const Finished& finished) override;
  void finish_and_unpack(std::size_t chain) override {
    exchanges_[chain]->send();  // unless the interior phase did
    exchanges_[chain]->finish();
  }
  std::byte* collect(std::size_t step, const sched::GlobalArg& reduction) override {
    return blocks_[step]->collect(reduction);
  }
  void release_values() override { space_.main_stream().wait(); }
  sched::ExchangeSize exchange_size(std::size_t chain) const override;
  std::string describe(const core::Queue& queue) const override;

 private:
  void run_step(std::size_t s, sched::Phase phase, core::Queue& queue);
  void launch_step(std::size_t s, sched::Phase phase);

  const sched::Plan& plan_;
  Exchanges exchanges_;
  DeviceSpace& space_;
  DeviceIndices& indices_;
  std::vector<std::unique_ptr<StepBlock>> blocks_;  ///< per step; null if it has no iterations
};

}  // namespace op2::test::gpu
