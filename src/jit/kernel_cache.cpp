// SPDX-License-Identifier: BSD-3-Clause
#include <jit/kernel_cache.hpp>

#include <utility>

namespace op2::jit {

KernelCache::Slot KernelCache::find_or_add(const LoopShape& shape) {
  const std::lock_guard lock(mutex_);
  if (const auto found = entries_.find(shape); found != entries_.end()) return {found->second, {}};
  std::promise<Built> duty;
  auto result = duty.get_future().share();
  entries_.emplace(shape, result);
  return {std::move(result), std::move(duty)};
}

void KernelCache::complete(const LoopShape& shape, std::promise<Built>& duty, Built built) {
  if (built.error) {
    const std::lock_guard lock(mutex_);
    entries_.erase(shape);
  }
  duty.set_value(std::move(built));
}

}  // namespace op2::jit
