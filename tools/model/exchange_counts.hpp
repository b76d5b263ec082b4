// SPDX-License-Identifier: BSD-3-Clause
// The messages of a halo exchange between the ranks of a cut: as comm::halo_messages makes them.
#pragma once

#include <cstdint>
#include <vector>

#include <comm/halo/halo_exchange.hpp>
#include <core/measurements/run_record.hpp>

#include "cut_file.hpp"

namespace op2::model {

/// What one rank sends to another before a chain, grouped in one message.
struct PairMessage {
  int from = 0, to = 0;
  std::int64_t bytes = 0;  ///< header and segments, with padding
  std::int64_t rows = 0;   ///< of dats
  bool operator==(const PairMessage&) const = default;
};

/// Ascending by sender, then by receiver. Cost: O(pairs of neighbours x layers).
/// @param exchanged  dats by their index; the cut has these layers
std::vector<PairMessage> messages_of(const Cut& cut, const core::RunRecord& record,
                                     const std::vector<comm::DatLayers>& exchanged);

}  // namespace op2::model
