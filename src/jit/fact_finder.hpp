// SPDX-License-Identifier: BSD-3-Clause
// Finds what the sources of kernels prove: in memory, embedded in the program, on disk, or by the
// compiler.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include <core/hash.hpp>
#include <jit/cache_entry.hpp>
#include <jit/disk_cache.hpp>
#include <jit/kernel_facts.hpp>
#include <jit/loop_nest.hpp>
#include <jit/target/target.hpp>

namespace op2::jit {

/// Thread safe. What was found once, also nothing, stays in memory.
class FactFinder {
 public:
  /// Both are called when something is neither in memory nor embedded; both may throw.
  FactFinder(std::function<Target&()> target, std::function<DiskCache&()> disk)
      : target_(std::move(target)), disk_(std::move(disk)) {}

  /// As Jit::facts. @param threads  that ask the compiler at most
  std::vector<KernelFacts> find(std::span<const LoopRequest> requests, std::size_t threads);

 private:
  using Found = std::vector<ArgumentFacts>;
  std::optional<Found> in_memory(const core::Digest& name);
  void keep(const core::Digest& name, Found found);
  bool is_known(const LoopRequest& request, const core::Digest& name);
  std::optional<Found> on_disk(const LoopRequest& request);
  Found prove(const LoopRequest& request);

  std::function<Target&()> target_;
  std::function<DiskCache&()> disk_;
  std::mutex mutex_;
  std::map<core::Digest, Found> memory_;
};

}  // namespace op2::jit
