// SPDX-License-Identifier: BSD-3-Clause
// Memory of dats: aligned to cache lines, zeroed, in huge pages where it is large.
#pragma once

#include <cstddef>
#include <memory>

namespace op2::core {

struct FreeMemory {
  void operator()(std::byte* memory) const;
};
using Buffer = std::unique_ptr<std::byte[], FreeMemory>;

/// `bytes` zeroed bytes, aligned to 64.
/// @throws std::bad_alloc
Buffer allocate_zeroed(std::size_t bytes);

/// Frees the memory of a vector or string, which `= {}` and `clear` keep.
template <class Container>
void release(Container& container) {
  Container().swap(container);
}

}  // namespace op2::core
