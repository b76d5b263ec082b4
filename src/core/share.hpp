// SPDX-License-Identifier: BSD-3-Clause
// Equal shares of threads.
#pragma once

#include <cstddef>

namespace op2::core {

/// The block [begin, end) of 0 .. count - 1 that belongs to a thread; shares differ by at most one.
struct Share {
  Share(std::size_t count, int thread, int threads)
      : begin(count * static_cast<std::size_t>(thread) / static_cast<std::size_t>(threads)),
        end(count * (static_cast<std::size_t>(thread) + 1) / static_cast<std::size_t>(threads)) {}
  std::size_t begin, end;
  std::size_t size() const { return end - begin; }
};

}  // namespace op2::core
