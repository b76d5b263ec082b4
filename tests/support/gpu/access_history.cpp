// SPDX-License-Identifier: BSD-3-Clause
#include "access_history.hpp"

#include <algorithm>
#include <bit>

namespace op2::test::gpu {
namespace {

constexpr int widest = 3;  // 8 bytes

}  // namespace

void AccessHistory::refine(std::size_t bits) {
  const auto shift = static_cast<unsigned>(std::min(std::countr_zero(bits), widest));
  const std::size_t cells = (bytes_ >> shift) + 1;
  std::vector<Cell> finer(cells);
  if (!cells_.empty())
    for (std::size_t k = 0; k < cells; ++k) finer[k] = cells_[k >> (shift_ - shift)];
  cells_ = std::move(finer);
  shift_ = shift;
  mask_ = (std::size_t{1} << shift) - 1;
}

}  // namespace op2::test::gpu
