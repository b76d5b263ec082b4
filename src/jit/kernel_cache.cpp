// SPDX-License-Identifier: BSD-3-Clause
#include <jit/kernel_cache.hpp>

#include <utility>

namespace op2::jit {
namespace {

/// Whether the text is at fault and not the machine: the compiler would say the same again.
bool is_verdict(ErrorCode code) {
  switch (code) {
    case ErrorCode::kernel_text:
    case ErrorCode::kernel_signature:
    case ErrorCode::kernel_include:
    case ErrorCode::unknown_symbol:
    case ErrorCode::kernel_limits:
    case ErrorCode::kernel_access:
      return true;
    default:
      return false;
  }
}

}  // namespace

KernelCache::Slot KernelCache::find_or_add(const LoopNest& nest) {
  const std::lock_guard lock(mutex_);
  if (const auto found = entries_.find(nest); found != entries_.end()) return {found->second, {}};
  std::promise<Built> duty;
  auto result = duty.get_future().share();
  entries_.emplace(nest, result);
  return {std::move(result), std::move(duty)};
}

void KernelCache::complete(const LoopNest& nest, std::promise<Built>& duty, Built built) {
  if (built.error && !is_verdict(built.error->code())) {
    const std::lock_guard lock(mutex_);
    entries_.erase(nest);
  }
  duty.set_value(std::move(built));
}

}  // namespace op2::jit
