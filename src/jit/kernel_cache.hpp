// SPDX-License-Identifier: BSD-3-Clause
// The code in this process, by nest. The first caller builds, all others wait for the result.
#pragma once

#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include <jit/jit.hpp>
#include <jit/loop_nest.hpp>

namespace op2::jit {

/// Thread safe. Code stays for the cache's life, and so does the rejection of a source (E101 to
/// E105, E107). Any other error is thrown to all that wait for it and is then forgotten.
class KernelCache {
 public:
  struct Slot {
    std::shared_future<Built> result;
    std::optional<std::promise<Built>>
        promise;  ///< set: the caller must build, and call `complete`
  };

  Slot find_or_add(const LoopNest& nest);

  /// The code of a nest; null if there is none, or not yet.
  const CompiledLoop* find(const LoopNest& nest);

  void complete(const LoopNest& nest, std::promise<Built>& promise, Built built);

 private:
  std::mutex mutex_;
  std::map<LoopNest, std::shared_future<Built>> entries_;
};

}  // namespace op2::jit
