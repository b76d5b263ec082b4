// SPDX-License-Identifier: BSD-3-Clause
// Memory of the host that a device may copy from and to while the host goes on.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>

#include "findings.hpp"

namespace op2::test::gpu {

class PinnedMemory {
 public:
  explicit PinnedMemory(Findings& findings) : findings_(findings) {}

  /// Bytes without a value, aligned to 64.
  std::byte* allocate(std::size_t bytes);
  /// Pins memory of the program, which must outlive it being pinned.
  void pin(const void* data, std::size_t bytes);
  /// Ends either. @throws Misuse if nothing begins there
  void release(const void* data);
  /// @throws Misuse unless all of the bytes are pinned
  void require(const void* data, std::size_t bytes, const char* user);

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  struct Block {
    std::size_t bytes;
    std::unique_ptr<std::byte[], Free> owned;  ///< null if the program's
  };
  Findings& findings_;
  std::map<const std::byte*, Block, std::greater<>> blocks_;  ///< by first byte, descending
};

}  // namespace op2::test::gpu
