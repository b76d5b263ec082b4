// SPDX-License-Identifier: BSD-3-Clause
// The pass that makes a sequence of loops of each loop whose result depends on the order of its
// elements: one for each colour (core/queue.hpp). Within one, no element reads or writes what
// another writes, so that threads and ranks may share it like any other loop.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <comm/halo/distributed_mesh.hpp>
#include <comm/partition/colours.hpp>
#include <core/queue.hpp>
#include <sched/analysis/facts.hpp>

namespace op2::sched {

/// The colourings of a session, one for each way in which a loop's elements conflict.
class Colourings {
 public:
  /// @param are_used  false: one order of elements is kept, so no loop gets colours
  /// @param writes    loops get colours too if elements only write rows that others write, unless
  ///                  all are proven to write the same
  Colourings(comm::DistributedMesh& rows, bool are_used, bool writes)
      : rows_(rows), are_used_(are_used), writes_(writes) {}

  /// For each record: how its elements are coloured; null: any order is right. Nothing if that is
  /// so for all. Collective if a loop reads rows that others of its elements may modify, or writes
  /// them as the constructor says; costs then a colouring, the first time.
  /// @param queue  with the access that plans count with
  /// @throws Error order_dependent, which is uniform: 1024 colours are too few
  std::vector<const core::Colouring*> find(const core::Queue& queue, const Facts& facts);

  /// Gives every colouring the colours of all rows that there are. Collective. Costs nothing if
  /// rows have not moved since.
  void update_rows();

 private:
  /// Rows of a set that elements access directly (null) or through a column of a map.
  struct SharedRows {
    const core::Set* set;
    std::vector<std::pair<const core::Map*, int>> columns;
    bool operator==(const SharedRows&) const = default;
  };
  struct Entry {
    const core::Set* set;
    std::vector<SharedRows> shared;
    std::vector<std::uint16_t> declared;         ///< of the elements that this rank declares
    std::unique_ptr<core::Colouring> colouring;  ///< null: no two elements conflict
    int epoch = -1;                              ///< of `colouring->rows`
  };
  bool needs_colours(const core::Queue& queue, const Facts& facts, std::size_t record) const;
  std::vector<SharedRows> shared_rows(std::span<const core::LoopArg> args) const;
  Entry& entry_for(const core::Queue& queue, const Facts& facts, std::size_t record);
  comm::SharedTargets targets_of(const core::Set& set, const SharedRows& shared);
  void update_rows(Entry& entry);

  comm::DistributedMesh& rows_;
  const bool are_used_, writes_;
  std::vector<std::unique_ptr<Entry>> entries_;  ///< in the order of their making
};

/// The queue of which plans are made: a record for each colour. Loops write only some rows then, so
/// OP_WRITE counts as OP_RW.
core::Queue in_colours(const core::Queue& queue,
                       std::span<const core::Colouring* const> colourings);

}  // namespace op2::sched
