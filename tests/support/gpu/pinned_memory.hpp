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
  /// Whether a copy that has not run keeps what begins there.
  bool is_kept(const void* data) const;
  /// What a copy keeps until it has run, so that a program which frees too early does not crash;
  /// null if the memory is the program's.
  /// @throws Misuse unless all of the bytes are pinned
  std::shared_ptr<std::byte> keep(const void* data, std::size_t bytes, const char* user);

 private:
  struct Block {
    std::size_t bytes;
    std::shared_ptr<std::byte> owned;  ///< null if the program's
  };
  Findings& findings_;
  std::map<const std::byte*, Block, std::greater<>> blocks_;  ///< by first byte, descending
};

}  // namespace op2::test::gpu
