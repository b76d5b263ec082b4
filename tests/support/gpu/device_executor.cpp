// SPDX-License-Identifier: BSD-3-Clause
#include "device_executor.hpp"

#include <exception>
#include <utility>

#include "device_packer.hpp"
#include "device_plan.hpp"

namespace op2::test::gpu {
namespace {

/// Where nothing may be thrown: a mistake is in the findings, and the program knows of a failure.
template <class Action>
void quietly(Action action) noexcept {
  try {
    action();
  } catch (const std::exception&) {
  }
}

}  // namespace

const std::int32_t* DeviceIndices::of(const core::Set& set) {
  if (set.numbers.empty()) return nullptr;
  core::DeviceBuffer& index = indices_[&set];
  if (!index) {
    const std::size_t bytes = set.numbers.size() * sizeof(std::int32_t);
    index = core::allocate_on(space_, bytes);
    space_.main_stream().upload_and_wait(
        index.get(), reinterpret_cast<const std::byte*>(set.numbers.data()), bytes);
  }
  return reinterpret_cast<const std::int32_t*>(index.get().value);
}

void DeviceIndices::clear() {
  space_.main_stream().wait();
  indices_.clear();
}

DeviceExecutor::DeviceExecutor(core::Grouping grouping, comm::DistributedMesh& rows, Device& device)
    : grouping_(grouping), rows_(rows), space_(device) {
  rows_.mesh().use(&copies_);
}

DeviceExecutor::~DeviceExecutor() {
  quietly([&] { indices_.clear(); });
  quietly([&] { rows_.mesh().use(nullptr); });
}

std::unique_ptr<sched::PreparedPlan> DeviceExecutor::prepare(const sched::Plan& plan, bool) {
  DevicePlan::Exchanges exchanges;
  for (const sched::Chain& chain : plan.chains())
    exchanges.push_back(
        chain.exchanged.empty()
            ? nullptr
            : std::make_unique<comm::HaloExchange>(
                  rows_.communicator(),
                  comm::halo_messages(rows_.halo_plan(), chain.exchanged, grouping_),
                  make_device_packer({space_, *halo_})));
  return std::make_unique<DevicePlan>(plan, std::move(exchanges), space_, indices_);
}

}  // namespace op2::test::gpu
