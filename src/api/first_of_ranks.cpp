// SPDX-License-Identifier: BSD-3-Clause
#include <api/first_of_ranks.hpp>

#include <limits>

namespace op2::api {

FirstOfRanks first_of_ranks(comm::Communicator& ranks, const std::optional<ElementPlace>& mine) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  constexpr int bits = 40;  // of an element
  const std::int64_t key =
      mine ? (static_cast<std::int64_t>(mine->position) << bits) + mine->element : none;
  comm::WordReduction first{{}, {key}, {}};
  ranks.reduce(first, "comparing values");
  return {first.minima.front() != none, mine.has_value() && first.minima.front() == key};
}

}  // namespace op2::api
