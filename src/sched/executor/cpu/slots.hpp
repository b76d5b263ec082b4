// SPDX-License-Identifier: BSD-3-Clause
// Reproducible increments: whatever the order of execution, a row's value becomes
// ((old + first) + second) + ..., with what elements add to it in their canonical
// order (core::Mesh::ordering_set), and of an element in the order of its arguments. Where a
// schedule executes a row's elements in this order, they add to the row. Elsewhere only the first
// ones do, until one is executed too early: it and all that follow add to a slot each, and once the
// row's last element has run, the slots are added to it in that order. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <core/loop_abi.hpp>
#include <core/mesh.hpp>
#include <sched/executor/cpu/parts.hpp>
#include <sched/executor/cpu/tiles.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

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

/// The slots of all steps of a plan that add through the same columns of maps. They share them: a
/// plan orders what its steps add to a row.
struct SlotTable;

/// The rows of a table whose last addition each unit of a schedule (part, or item) runs.
struct UnitRows;

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
  std::shared_ptr<const UnitRows> units;  ///< shared by steps that execute the same
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
  std::size_t bytes = 0;         ///< of tables and lists of rows
  std::size_t shared_bytes = 0;  ///< of tables that an earlier plan has, too
  std::size_t mesh_bytes = 0;    ///< of all dats and maps
};

/// The positions of elements [0, end) in the canonical order; empty if they are stored in this
/// order.
/// @param followed  the map by which elements of the set are sorted first, or null
std::vector<std::int64_t> canonical_positions(const core::Set& set, const core::Map* followed,
                                              std::int64_t end);

/// Cost: for each step some nanoseconds for each target, nothing if it executes its elements in the
/// canonical order, or as another one; for each table with slots two passes over the maps. Memory:
/// meanwhile 12 bytes for each target and 4 for each element, on several ranks 12; then a quarter
/// of a byte for each element, and some ten bytes for each slot beside it.
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
