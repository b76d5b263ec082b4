// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cuda/current_constants.hpp>

#include <algorithm>
#include <cstring>

#include <core/arithmetic.hpp>

namespace op2::sched {
namespace {

constexpr std::size_t alignment = 64;

std::size_t room_for(const jit::CudaConstant& constant) {
  return core::round_up(constant.bytes, alignment);
}

}  // namespace

/// The turn's memory is free for the host when this returns.
CurrentConstants::Turn& CurrentConstants::next_turn(std::size_t bytes) {
  Turn& turn = turns_[turn_++ % turns_.size()];
  if (turn.copied == nullptr)
    turn.copied = space_.make_event();
  else
    turn.copied->wait();
  if (turn.bytes >= bytes) return turn;
  turn.bytes = 0;
  turn.memory = copies_.allocate_pinned("constants", bytes);
  turn.bytes = bytes;
  return turn;
}

bool CurrentConstants::is_uploaded(const jit::CudaConstant& constant) const {
  const auto found = uploaded_.find(constant.on_device);
  return found != uploaded_.end() && found->second.size() == constant.bytes &&
         std::memcmp(found->second.data(), constant.on_host, constant.bytes) == 0;
}

void CurrentConstants::update(const Modules& modules) {
  std::vector<const jit::CudaConstant*> changed;
  std::size_t bytes = 0;
  for (const jit::CudaLoop* code : modules)
    for (const jit::CudaConstant& constant : code->constants) {
      if (is_uploaded(constant)) continue;
      changed.push_back(&constant);
      bytes += room_for(constant);
    }
  if (changed.empty()) return;
  Turn& turn = next_turn(bytes);
  std::byte* staged = turn.memory.get();
  for (const jit::CudaConstant* constant : changed) {
    std::memcpy(staged, constant->on_host, constant->bytes);
    std::vector<std::byte>& uploaded = uploaded_[constant->on_device];
    uploaded.clear();
    space_.main_stream().upload(constant->on_device, staged, constant->bytes);
    uploaded.assign(staged, staged + constant->bytes);
    staged += room_for(*constant);
  }
  space_.main_stream().record(*turn.copied);
}

}  // namespace op2::sched
