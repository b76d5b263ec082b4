// SPDX-License-Identifier: BSD-3-Clause
// What the messages of one halo exchange hold: layers of several dats, one message per neighbour.
// A description only; who packs them is the executor's choice.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <comm/halo/halo_plan.hpp>
#include <comm/halo/row_lists.hpp>
#include <core/mesh.hpp>
#include <core/options.hpp>

namespace op2::comm {

/// The levels (from, to] of a dat; 0 <= from < to.
struct DatLayers {
  core::Dat* dat;
  core::Level from, to;
  std::shared_ptr<const RowLists> lists{};  ///< only these; null: all
};

/// Owned rows of a dat, packed one after the other in a message.
struct ListSegment {
  core::Dat* dat;
  std::size_t offset;                  ///< of the first in the message, in bytes; a multiple of 16
  std::span<const std::int32_t> rows;  ///< local rows; the halo plan's
};

/// The same rows at the receiver, or some of them: [begin, begin + count).
struct RangeSegment {
  core::Dat* dat;
  std::size_t offset;  ///< of the first of them
  std::int32_t begin, count;
};

template <class Segment>
struct HaloMessage {
  int rank;           ///< it goes to or comes from
  std::size_t bytes;  ///< header and segments, with padding
  std::vector<Segment> segments;
};

struct HaloMessages {
  std::vector<HaloMessage<ListSegment>> outgoing;   ///< ascending ranks
  std::vector<HaloMessage<RangeSegment>> incoming;  ///< ascending ranks
  std::size_t bytes = 0;                            ///< of all outgoing ones
  std::int64_t rows = 0;                            ///< in all outgoing ones
};

/// Bytes before the segments of a message, for the fingerprint of the sender's signature.
inline constexpr std::size_t message_header = 16;

/// Local. Cost: O(layers x neighbours).
/// @param plan  has the levels; its export lists outlive the result
HaloMessages halo_messages(const HaloPlan& plan, const std::vector<DatLayers>& layers,
                           core::Grouping grouping);

}  // namespace op2::comm
