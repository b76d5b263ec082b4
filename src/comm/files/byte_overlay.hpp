// SPDX-License-Identifier: BSD-3-Clause
// Changes of a file that are kept in memory: a sparse array of bytes over the file's. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace op2::comm {

class ByteOverlay {
 public:
  using Block = std::vector<std::byte>;

  /// Replaces bytes from `offset` on. Cost: the blocks that are hit, and their copies.
  void write(std::int64_t offset, std::span<const std::byte> bytes);

  /// Drops changes of so many bytes: those of the file count again.
  void forget(std::int64_t offset, std::int64_t count);

  /// Puts the changes over bytes of the file that begin at `offset`.
  void apply(std::int64_t offset, std::span<std::byte> bytes) const;

  /// The changed bytes by their offsets; disjoint.
  const std::map<std::int64_t, Block>& blocks() const { return blocks_; }

 private:
  std::map<std::int64_t, Block> blocks_;
};

}  // namespace op2::comm
