// SPDX-License-Identifier: BSD-3-Clause
// Which data loops use, and how many bytes these are.
#pragma once

#include <limits>
#include <map>
#include <set>
#include <span>
#include <vector>

#include <core/measurements/run_record.hpp>

namespace op2::model {

struct DataUses {
  struct Use {
    bool reads = false, modifies = false;
    int args = 0;  ///< how many elements of it an iteration can access
  };
  std::map<int, Use> dats;
  std::set<int> maps;

  void add(const core::RecordedLoop& loop);
};

/// @param elements  of each set
/// @param rows      not more of them
double bytes_of_dat(const core::RunRecord& record, int dat, std::span<const double> elements,
                    double rows = std::numeric_limits<double>::infinity());
/// Of all maps that are used.
double bytes_of_maps(const core::RunRecord& record, const DataUses& uses,
                     std::span<const double> elements);

/// Elements of each set on the mean of so many ranks.
std::vector<double> elements_per_rank(const core::RunRecord& record, int ranks);

}  // namespace op2::model
