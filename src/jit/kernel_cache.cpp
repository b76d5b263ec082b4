// SPDX-License-Identifier: BSD-3-Clause
#include <jit/kernel_cache.hpp>

#include <chrono>
#include <utility>

namespace op2::jit {
namespace {

/// Whether the error is one of the source and not of the machine: the compiler would reject it
/// again.
bool is_verdict(ErrorCode code) {
  switch (code) {
    case ErrorCode::kernel_source:
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
  std::promise<Built> promise;
  auto result = promise.get_future().share();
  entries_.emplace(nest, result);
  return {std::move(result), std::move(promise)};
}

const CompiledLoop* KernelCache::find(const LoopNest& nest) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(nest);
  const bool is_ready =
      found != entries_.end() &&
      found->second.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  return is_ready ? found->second.get().code.get() : nullptr;
}

void KernelCache::complete(const LoopNest& nest, std::promise<Built>& promise, Built built) {
  if (built.error && !is_verdict(built.error->code())) {
    const std::lock_guard lock(mutex_);
    entries_.erase(nest);
  }
  promise.set_value(std::move(built));
}

}  // namespace op2::jit
