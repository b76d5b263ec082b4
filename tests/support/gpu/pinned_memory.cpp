// SPDX-License-Identifier: BSD-3-Clause
#include "pinned_memory.hpp"

#include <new>

#include "poison.hpp"

namespace op2::test::gpu {
namespace {

constexpr std::align_val_t alignment{64};

}  // namespace

void PinnedMemory::Free::operator()(std::byte* memory) const {
  ::operator delete(memory, alignment);
}

std::byte* PinnedMemory::allocate(std::size_t bytes) {
  auto* memory = static_cast<std::byte*>(::operator new(bytes, alignment));
  poison({memory, bytes});
  blocks_.emplace(memory, Block{bytes, std::unique_ptr<std::byte[], Free>(memory)});
  return memory;
}

void PinnedMemory::pin(const void* data, std::size_t bytes) {
  if (!blocks_.emplace(static_cast<const std::byte*>(data), Block{bytes, nullptr}).second)
    findings_.report("memory of the host is pinned already: {}", data);
}

void PinnedMemory::release(const void* data) {
  if (blocks_.erase(static_cast<const std::byte*>(data)) == 0)
    findings_.report("memory of the host is not pinned: {}", data);
}

void PinnedMemory::require(const void* data, std::size_t bytes, const char* user) {
  const auto* first = static_cast<const std::byte*>(data);
  const auto block = blocks_.lower_bound(first);
  if (block == blocks_.end() || first + bytes > block->first + block->second.bytes)
    findings_.report(
        "'{}' copies while the host goes on, and memory of the host is not pinned: {}, "
        "{} bytes",
        user, data, bytes);
}

}  // namespace op2::test::gpu
