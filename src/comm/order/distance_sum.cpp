// SPDX-License-Identifier: BSD-3-Clause
#include <comm/order/distance_sum.hpp>

namespace op2::comm {
namespace {

/// The largest integer whose square is at most `number`, which is below 2^62.
std::uint64_t root_of(std::uint64_t number) {
  std::uint64_t root = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 30; bit != 0; bit >>= 1)
    if ((root + bit) * (root + bit) <= number) root += bit;
  return root;
}

}  // namespace

void DistanceSum::combine(Communicator& ranks) {
  const WideSum mine = sum_.carried();
  WordReduction words{
      {static_cast<std::int64_t>(mine.high), static_cast<std::int64_t>(mine.low), pairs_}, {}, {}};
  ranks.reduce(words, "adding distances of neighbours");
  sum_ =
      WideSum{static_cast<std::uint64_t>(words.sums[0]), static_cast<std::uint64_t>(words.sums[1])}
          .carried();
  pairs_ = words.sums[2];
}

bool DistanceSum::is_good(std::int64_t elements) const {
  const WideSum count = WideSum{0, static_cast<std::uint64_t>(pairs_)}.carried();
  return sum_ <= count.times(root_of(4 * static_cast<std::uint64_t>(elements)));
}

}  // namespace op2::comm
