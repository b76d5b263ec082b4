// SPDX-License-Identifier: BSD-3-Clause
#include "pinned_memory.hpp"

#include <new>

#include "poison.hpp"

namespace op2::test::gpu {
namespace {

constexpr std::align_val_t alignment{64};

}  // namespace

std::byte* PinnedMemory::allocate(std::size_t bytes) {
  auto* memory = static_cast<std::byte*>(::operator new(bytes, alignment));
  poison({memory, bytes});
  const auto free = [](std::byte* pinned) { ::operator delete(pinned, alignment); };
  blocks_.emplace(memory, Block{bytes, std::shared_ptr<std::byte>(memory, free)});
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

bool PinnedMemory::is_kept(const void* data) const {
  const auto block = blocks_.find(static_cast<const std::byte*>(data));
  return block != blocks_.end() && block->second.owned.use_count() > 1;
}

std::shared_ptr<std::byte> PinnedMemory::keep(const void* data, std::size_t bytes,
                                              const char* user) {
  const auto* first = static_cast<const std::byte*>(data);
  const auto block = blocks_.lower_bound(first);
  if (block == blocks_.end() || first + bytes > block->first + block->second.bytes)
    findings_.report(
        "'{}' copies while the host goes on, and memory of the host is not pinned: {}, "
        "{} bytes",
        user, data, bytes);
  return block->second.owned;
}

}  // namespace op2::test::gpu
