// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cuda/plan_values.hpp>

#include <cstring>

#include <core/value_type.hpp>

namespace op2::sched {
namespace {

constexpr std::size_t alignment = 64;

std::size_t aligned(std::size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

std::size_t bytes_of(const GlobalArg& global) {
  return core::size_of(global.shape.type, global.shape.dim);
}

}  // namespace

PlanValues::PlanValues(core::MemorySpace& space, const Plan& plan,
                       const std::vector<bool>& on_device)
    : space_(space),
      plan_(plan),
      on_device_(on_device),
      blocks_(plan.chains().size()),
      results_(on_device.size()),
      reads_(on_device.size()),
      on_host_(on_device.size()) {
  place(plan, on_device);
  for (Block& block : blocks_) {
    block.uploaded = space.make_event();
    block.downloaded = space.make_event();
  }
  if (bytes_ == 0) return;
  device_ = core::allocate_on(space, bytes_);
  going_ = core::allocate_pinned_for(space, bytes_);
  coming_ = core::allocate_pinned_for(space, bytes_);
  std::memset(going_.get(), 0, bytes_);
}

void PlanValues::place(const Plan& plan, const std::vector<bool>& on_device) {
  for (std::size_t chain = 0; chain < blocks_.size(); ++chain) {
    const std::size_t first = plan.steps.begin[chain], last = plan.steps.begin[chain + 1];
    blocks_[chain].begin = bytes_;
    for (std::size_t s = first; s < last; ++s) {
      if (!on_device[s]) continue;
      on_host_[s] = bind(plan.steps.all[s], 1, false);
      results_[s] = bytes_;
      bytes_ = aligned(bytes_ + plan.steps.all[s].block_bytes);
    }
    blocks_[chain].results_end = bytes_;
    for (std::size_t s = first; s < last; ++s) {
      if (!on_device[s]) continue;
      for (const GlobalArg& read : plan.steps.all[s].reads) {
        reads_[s].push_back(bytes_);
        bytes_ = aligned(bytes_ + bytes_of(read));
      }
    }
    blocks_[chain].end = bytes_;
  }
}

core::DeviceAddress PlanValues::result(std::size_t step, const GlobalArg& reduction) const {
  return device_.get() + (results_[step] + reduction.offset);
}

core::DeviceAddress PlanValues::read(std::size_t step, std::size_t k) const {
  return device_.get() + reads_[step][k];
}

void PlanValues::fill(std::size_t s, core::Queue& queue) {
  const Step& step = plan_.steps.all[s];
  bind_globals(step, queue, on_host_[s]);
  if (step.block_bytes > 0)
    std::memcpy(going_.get() + results_[s], on_host_[s].blocks.get(), step.block_bytes);
  for (std::size_t k = 0; k < step.reads.size(); ++k)
    std::memcpy(going_.get() + reads_[s][k], on_host_[s].args[step.reads[k].arg].base,
                bytes_of(step.reads[k]));
}

void PlanValues::upload(std::size_t chain, core::Queue& queue) {
  Block& block = blocks_[chain];
  if (block.begin == block.end) return;
  block.uploaded->wait();
  for (std::size_t s = plan_.steps.begin[chain]; s < plan_.steps.begin[chain + 1]; ++s)
    if (on_device_[s]) fill(s, queue);
  core::Stream& stream = space_.main_stream();
  stream.upload(device_.get() + block.begin, going_.get() + block.begin, block.end - block.begin);
  stream.record(*block.uploaded);
}

void PlanValues::download(std::size_t chain) {
  Block& block = blocks_[chain];
  if (block.begin == block.results_end) return;
  core::Stream& stream = space_.main_stream();
  stream.download(coming_.get() + block.begin, device_.get() + block.begin,
                  block.results_end - block.begin);
  stream.record(*block.downloaded);
}

std::byte* PlanValues::collect(std::size_t chain, std::size_t step, const GlobalArg& reduction) {
  blocks_[chain].downloaded->wait();
  return coming_.get() + results_[step] + reduction.offset;
}

}  // namespace op2::sched
