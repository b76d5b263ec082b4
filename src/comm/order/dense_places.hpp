// SPDX-License-Identifier: BSD-3-Clause
// Sorts elements over the ranks.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <comm/order/declared_maps.hpp>

namespace op2::comm {

/// The key of elements that come last.
constexpr std::int64_t last_key = std::numeric_limits<std::int64_t>::max();

/// The place, from 0 on, of each declared element among those of all ranks, sorted by their keys,
/// then by their global indices. Collective. Cost: sorting, and three exchanges. Each rank sorts
/// about as many as it declares, as far as 32 samples of every rank can tell.
/// @param keys  shape [declared]
std::vector<std::int32_t> dense_places(Communicator& ranks, const Blocks& set,
                                       std::span<const std::int64_t> keys);

}  // namespace op2::comm
