// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/byte_overlay.hpp>

#include <algorithm>
#include <utility>

namespace op2::comm {

namespace {

/// The first block that ends after `offset`.
template <class Map>
auto first_after(Map& blocks, std::int64_t offset) {
  auto block = blocks.upper_bound(offset);
  if (block == blocks.begin()) return block;
  const auto before = std::prev(block);
  return before->first + std::ssize(before->second) > offset ? before : block;
}

}  // namespace

void ByteOverlay::forget(std::int64_t offset, std::int64_t count) {
  const std::int64_t end = offset + count;
  auto block = first_after(blocks_, offset);
  while (block != blocks_.end() && block->first < end) {
    const auto [begin, bytes] = std::pair(block->first, std::move(block->second));
    block = blocks_.erase(block);
    if (begin < offset)
      blocks_.emplace(begin, Block(bytes.begin(), bytes.begin() + (offset - begin)));
    if (begin + std::ssize(bytes) > end)
      blocks_.emplace(end, Block(bytes.begin() + (end - begin), bytes.end()));
  }
}

void ByteOverlay::write(std::int64_t offset, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  forget(offset, std::ssize(bytes));
  blocks_.emplace(offset, Block(bytes.begin(), bytes.end()));
}

void ByteOverlay::apply(std::int64_t offset, std::span<std::byte> bytes) const {
  const std::int64_t end = offset + std::ssize(bytes);
  for (auto block = first_after(blocks_, offset); block != blocks_.end() && block->first < end;
       ++block) {
    const std::int64_t from = std::max(offset, block->first);
    const std::int64_t to = std::min(end, block->first + std::ssize(block->second));
    std::copy(block->second.begin() + (from - block->first),
              block->second.begin() + (to - block->first), bytes.begin() + (from - offset));
  }
}

}  // namespace op2::comm
