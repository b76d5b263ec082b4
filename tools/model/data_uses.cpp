// SPDX-License-Identifier: BSD-3-Clause
#include "data_uses.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace op2::model {

void DataUses::add(const core::RecordedLoop& loop) {
  for (const core::RecordedArg& arg : loop.args) {
    if (arg.map >= 0) maps.insert(arg.map);
    if (arg.dat < 0) continue;
    Use& use = dats[arg.dat];
    use.reads = use.reads || arg.access != OP_WRITE;
    use.modifies = use.modifies || arg.access != OP_READ;
    ++use.args;
  }
}

double bytes_of_dat(const core::RunRecord& record, int dat, std::span<const double> elements,
                    double rows) {
  const core::RecordedDat& which = record.dats[static_cast<std::size_t>(dat)];
  return which.bytes * std::min(rows, elements[static_cast<std::size_t>(which.set)]);
}

double bytes_of_maps(const core::RunRecord& record, const DataUses& uses,
                     std::span<const double> elements) {
  double bytes = 0;
  for (const int index : uses.maps) {
    const core::RecordedMap& map = record.maps[static_cast<std::size_t>(index)];
    bytes += static_cast<double>(sizeof(std::int32_t)) * map.arity *
             elements[static_cast<std::size_t>(map.from)];
  }
  return bytes;
}

std::vector<double> elements_per_rank(const core::RunRecord& record, int ranks) {
  std::vector<double> elements;
  for (const core::RecordedSet& set : record.sets)
    elements.push_back(static_cast<double>(set.size) / ranks);
  return elements;
}

}  // namespace op2::model
