// SPDX-License-Identifier: BSD-3-Clause
#include <core/memory.hpp>

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <new>

namespace op2::core {
namespace {

constexpr std::size_t cache_line = 64;
constexpr std::size_t huge_page = std::size_t{2} << 20;

}  // namespace

void FreeMemory::operator()(std::byte* memory) const {
  std::free(memory);
}

Buffer allocate_zeroed(std::size_t bytes) {
  const std::size_t alignment = bytes >= 2 * huge_page ? huge_page : cache_line;
  const std::size_t padding =
      (alignment - bytes % alignment) % alignment + (bytes == 0 ? alignment : 0);
  if (bytes > PTRDIFF_MAX - alignment) throw std::bad_alloc();
  void* memory = std::aligned_alloc(alignment, bytes + padding);
  if (memory == nullptr) throw std::bad_alloc();
  // Gathers through maps touch many pages: huge ones save most of the address translation.
  if (alignment == huge_page) madvise(memory, bytes + padding, MADV_HUGEPAGE);
  std::memset(memory, 0, bytes);
  return Buffer(static_cast<std::byte*>(memory));
}

}  // namespace op2::core
