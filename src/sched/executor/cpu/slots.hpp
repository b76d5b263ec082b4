// SPDX-License-Identifier: BSD-3-Clause
// Reproducible increments: whatever the order of execution, a row's value becomes
// ((old + first) + second) + ..., with what elements add to it in their canonical
// order (core/ordering_map.hpp), and of an element in the order of its arguments. Where a schedule
// executes a row's elements in this order, they add to the row. Elsewhere only the first ones do,
// until one is executed too early: it and all that follow add to a slot each, and once the
// row's last element has run, the slots are added to it in that order. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <core/loop_abi.hpp>
#include <core/memory.hpp>
#include <core/mesh.hpp>
#include <sched/executor/cpu/parts.hpp>
#include <sched/executor/cpu/tiles.hpp>
#include <sched/plan.hpp>
#include <sched/rows.hpp>

namespace op2::sched {

/// An entry that leads to a slot.
struct SlotEntry {
  std::int32_t element, column;
  std::int32_t target;  ///< negative
};

/// A map of which some entries lead to slots instead of rows, for elements [0, end). Only the
/// elements that have such an entry are stored, so that it takes little memory beside the map. Not
/// to be copied: its parts point to each other.
class SlottedMap {
 public:
  /// Cost O(entries + end / 64); memory: a quarter of a byte for each element, and the entries of
  /// those in `slotted`.
  /// @param slotted  in any order
  SlottedMap(const core::Map& map, std::int64_t end, std::span<const SlotEntry> slotted);
  SlottedMap(const SlottedMap&) = delete;
  SlottedMap& operator=(const SlottedMap&) = delete;

  /// For compiled code.
  const core::SlottedElements* elements() const { return elements_.data(); }
  std::size_t bytes() const;
  /// Whether both lead everywhere to the same targets.
  bool equals(const SlottedMap& other) const;

 private:
  std::size_t position_of(std::int64_t element) const;

  const core::Map& map_;
  std::vector<core::SlottedElements> elements_;
  std::vector<std::int32_t> targets_;
};

/// Where a step is executed in one phase: part by part or, if there are tiles, as their items.
struct StepSchedule {
  const std::vector<LoopPart>* parts;
  const TilePlan* tiles = nullptr;
  std::int32_t loop = 0;  ///< TileItem::loop of the step
};

/// A step that runs, or null, and where.
struct ScheduledStep {
  const Step* step;
  StepSchedule interior, boundary;
};

/// A row with slots [first, first + count), in the order in which they are added.
struct SlottedRow {
  std::int32_t row, first, count;
  bool operator==(const SlottedRow&) const = default;
};

/// Numbers of rows in a table, in the order of the units of a schedule that run what is added to
/// them last.
struct UnitRows {
  std::vector<std::uint32_t> rows;
  /// Per phase: where those of each unit (part, or number of an item) begin, and their end: [units
  /// + 1].
  std::vector<std::uint32_t> begin[2];

  bool operator==(const UnitRows&) const = default;
};

/// The slots of all steps of a plan that add through the same columns of maps. They share them: a
/// plan orders what its steps add to a row.
struct SlotTable {
  std::vector<SlottedRow> rows;  ///< ascending rows; of the target set
  std::int32_t slots = 0;
  std::map<const core::Map*, SlottedMap> maps;  ///< entries that lead to slots: slot - slots
  /// Shape [slots x dim]. They hold what adds nothing, unless a step is running.
  std::map<const core::Dat*, core::Buffer> memory;

  /// Whether it has the same slots, whatever their memory.
  bool equals(const SlotTable& other) const;
  std::size_t bytes() const;
};

/// Tables that plans of an executor have. Plans run one after the other and leave slots empty, so
/// those with equal tables share them.
using SlotTables = std::vector<std::weak_ptr<SlotTable>>;

/// What a step adds through the columns of a table.
struct SlotUse {
  struct SlottedDat {
    std::size_t arg;   ///< of the step: the first of the dat
    std::byte* slots;  ///< SlotTable::memory of the dat
  };
  const SlotTable* table;
  std::vector<SlottedDat> dats;
  std::shared_ptr<const UnitRows> units;  ///< steps with equal ones share them

  std::span<const std::uint32_t> rows_of(Phase phase, std::size_t unit) const;
};

struct StepSlots {
  std::vector<SlotUse> uses;
  std::int64_t added = 0;    ///< rows that its elements add
  std::int64_t slotted = 0;  ///< of them: to slots
};

/// The slots of a plan.
struct PlanSlots {
  std::vector<StepSlots> steps;
  std::vector<std::shared_ptr<SlotTable>> tables;
  std::size_t shared_bytes = 0;  ///< of tables that an earlier plan has, too
  std::size_t mesh_bytes = 0;    ///< of all dats and maps

  /// Of slots, lists and entries of maps.
  std::size_t bytes() const;
};

/// The positions of elements [0, end) in the canonical order; empty if they are stored in this
/// order.
/// @param followed  the map by which elements of the set are sorted first, or null
std::vector<std::int64_t> canonical_positions(const core::Set& set, const core::Map* followed,
                                              std::int64_t end);

/// Cost: for each step some nanoseconds for each target, nothing if it executes its elements in the
/// canonical order, or as another one; a pass over the maps for each table, and a second one with
/// slots. Memory: meanwhile 13 bytes for each target and, on several ranks, 8 for each element;
/// then a quarter of a byte for each element, and some ten bytes for each slot beside it.
/// @param known  of the same rows
/// @throws std::bad_alloc
PlanSlots make_slots(const core::Mesh& mesh, std::span<const ScheduledStep> steps,
                     SlotTables& known);

/// What compiled code finds behind the bindings of the arguments (core/loop_abi.hpp).
std::vector<core::ArgBinding> bindings_of(const Step& step, const StepSlots& slots);

/// Adds the slots of a unit to its rows, if it was the last to add to them: share `thread` of
/// `threads`.
void add_slots(const Step& step, const StepSlots& slots, Phase phase, std::size_t unit,
               int thread = 0, int threads = 1);

/// ", 12 of 400 rows are added to slots"; empty if no rows are added through maps.
std::string description_of(const StepSlots& slots);
/// A line with the memory of slots; empty if there are none.
std::string description_of(const PlanSlots& slots);

}  // namespace op2::sched
