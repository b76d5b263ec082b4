// SPDX-License-Identifier: BSD-3-Clause
#include "exchange_counts.hpp"

#include <algorithm>
#include <tuple>

#include <core/arithmetic.hpp>

namespace op2::model {
namespace {

constexpr std::int64_t segment_alignment = 16;  // as in comm/halo/halo_exchange

/// @return without rows: there is no message
PairMessage message_to(int importer, const Imports& imports, const core::RunRecord& record,
                       const std::vector<comm::DatLayers>& exchanged) {
  PairMessage message{imports.rank, importer, static_cast<std::int64_t>(comm::message_header), 0};
  for (const comm::DatLayers& layers : exchanged) {
    const core::RecordedDat& dat = record.dats[static_cast<std::size_t>(layers.dat->index)];
    const auto& by_level = imports.rows[static_cast<std::size_t>(dat.set)];
    for (core::Level h = layers.from + 1; h <= layers.to; ++h) {
      const std::int64_t rows = by_level[static_cast<std::size_t>(h - 1)];
      message.rows += rows;
      message.bytes += core::round_up(rows * dat.bytes, segment_alignment);
    }
  }
  return message;
}

}  // namespace

std::vector<PairMessage> messages_of(const Cut& cut, const core::RunRecord& record,
                                     const std::vector<comm::DatLayers>& exchanged) {
  std::vector<PairMessage> messages;
  for (int rank = 0; rank < cut.parts; ++rank)
    for (const Imports& imports : cut.ranks[static_cast<std::size_t>(rank)].imports) {
      const PairMessage message = message_to(rank, imports, record, exchanged);
      if (message.rows > 0) messages.push_back(message);
    }
  std::ranges::sort(messages, {}, [](const PairMessage& m) { return std::tuple(m.from, m.to); });
  return messages;
}

}  // namespace op2::model
