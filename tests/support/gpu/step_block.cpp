// SPDX-License-Identifier: BSD-3-Clause
#include "step_block.hpp"

#include <cstring>

#include <core/value_type.hpp>

namespace op2::test::gpu {
namespace {

constexpr std::size_t alignment = 64;

std::size_t aligned(std::size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

std::size_t bytes_of(const sched::GlobalArg& global) {
  return core::size_of(global.shape.type, global.shape.dim);
}

/// Blocks of one thread, twice, to which bind_globals gives the values of a call.
sched::StepBindings host_bindings(const sched::Step& step) {
  sched::StepBindings bindings;
  bindings.sets = 2;
  bindings.args.resize(2 * step.args.size());
  bindings.blocks = core::allocate_zeroed(2 * step.block_bytes);
  bindings.block_bytes = step.block_bytes;
  bindings.arg_count = step.args.size();
  return bindings;
}

}  // namespace

StepBlock::StepBlock(core::MemorySpace& space, const sched::Step& step)
    : space_(space), step_(step), bytes_(2 * step.block_bytes), on_host_(host_bindings(step)) {
  for (const sched::GlobalArg& read : step.reads) {
    reads_.push_back(aligned(bytes_));
    bytes_ = reads_.back() + bytes_of(read);
  }
  if (empty()) return;
  device_ = core::allocate_on(space, bytes_);
  going_ = core::allocate_pinned_for(space, bytes_);
  coming_ = core::allocate_pinned_for(space, bytes_);
}

void StepBlock::start(core::Queue& queue) {
  if (empty()) return;
  sched::bind_globals(step_, queue, on_host_);
  std::memset(going_.get(), 0, bytes_);
  if (partial_bytes() > 0) std::memcpy(going_.get(), on_host_.blocks.get(), partial_bytes());
  for (std::size_t k = 0; k < reads_.size(); ++k)
    std::memcpy(going_.get() + reads_[k], on_host_.args[step_.reads[k].arg].base,
                bytes_of(step_.reads[k]));
  space_.main_stream().upload(device_.get(), going_.get(), bytes_);
}

std::byte* StepBlock::collect(const sched::GlobalArg& reduction) {
  std::byte* partial = coming_.get() + reduction.offset;
  const std::size_t bytes = step_.block_bytes - reduction.offset;
  space_.main_stream().download(partial, device_.get() + reduction.offset, bytes);
  space_.main_stream().wait();
  return partial;
}

std::vector<core::ArgBinding> StepBlock::bound_reads() const {
  std::vector<core::ArgBinding> args(step_.args.size());
  for (std::size_t k = 0; k < reads_.size(); ++k)
    args[step_.reads[k].arg].base = (device_.get() + reads_[k]).value;
  return args;
}

}  // namespace op2::test::gpu
