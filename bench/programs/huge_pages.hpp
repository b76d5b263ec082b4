// SPDX-License-Identifier: BSD-3-Clause
// Arrays in huge pages: gathers through maps touch many pages, so that address translation counts.
// The library keeps its dats like this, too.
#pragma once

#include <sys/mman.h>

#include <cstdlib>
#include <new>
#include <vector>

namespace bench {

template <class T>
struct HugePageAllocator {
  using value_type = T;
  HugePageAllocator() = default;
  template <class U>
  explicit HugePageAllocator(const HugePageAllocator<U>&) {}

  T* allocate(std::size_t count) {
    constexpr std::size_t page = std::size_t{2} << 20;
    const std::size_t bytes = (count * sizeof(T) + page - 1) / page * page;
    void* memory = std::aligned_alloc(page, bytes);
    if (memory == nullptr) throw std::bad_alloc();
    madvise(memory, bytes, MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) { std::free(memory); }
  bool operator==(const HugePageAllocator&) const { return true; }
};

template <class T>
using HugeVector = std::vector<T, HugePageAllocator<T>>;

}  // namespace bench
