// SPDX-License-Identifier: BSD-3-Clause
// Pull lists on a device. Loops that add through the same columns in the same range share them.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <core/array.hpp>
#include <sched/executor/cuda/pull_lists.hpp>

namespace op2::sched {

/// Addresses on the device; see PullLists.
struct PullTable {
  IndexRange positions{0, 0};
  const std::int32_t* rows = nullptr;  ///< null: each position is a row
  const std::int32_t* start = nullptr;
  const std::int32_t* iterations = nullptr;
  std::size_t bytes = 0;  ///< of the three lists, each of which a kernel reads once
  std::int64_t most = 0;  ///< iterations of a row, at most
};

class PullTables {
 public:
  /// @param copies  outlives the tables
  explicit PullTables(core::DeviceCopies& copies) : copies_(copies) {}

  /// The columns must stay as they are until `clear`. Cost, once: as make_pull_lists; the lists
  /// have an entry per increment and two per row, on the host and on the device.
  /// @param set  the name of what iterates, for messages
  /// @throws Error too_large, out_of_memory, device_failure
  PullTable lists_of(const std::vector<RowAccess>& columns, IndexRange iterations,
                     const std::string& set);
  /// The same for these rows of the set that the columns lead to, also without increments.
  PullTable lists_of_all(const std::vector<RowAccess>& columns, IndexRange iterations,
                         IndexRange rows, const std::string& set);

  void clear() { tables_.clear(); }

 private:
  static constexpr IndexRange not_all{-1, -1};
  struct Key {
    std::vector<RowAccess> columns;
    IndexRange iterations;
    IndexRange rows;  ///< not_all: those that iterations add to
    auto operator<=>(const Key&) const = default;
  };
  struct Table {
    IndexRange positions{0, 0};
    std::size_t rows = 0, start = 0;  ///< lengths of the first two lists
    std::int64_t most = 0;
    core::Array lists;                ///< one after the other
  };
  PullTable find(const Key& key, const std::function<PullLists()>& make, const std::string& set);
  void fill(Table& table, const PullLists& lists, const std::string& set);

  core::DeviceCopies& copies_;
  std::map<Key, Table> tables_;
};

}  // namespace op2::sched
