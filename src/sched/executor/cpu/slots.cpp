// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cpu/slots.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <core/followed_map.hpp>
#include <core/value_type.hpp>
#include <jit/slotted_args.hpp>
#include <sched/executor/cpu/find_slots.hpp>
#include <sched/shapes.hpp>

namespace op2::sched {
namespace {

/// Calls action(unit, begin, end) for all ranges of iterations in the order of their execution;
/// ranges that run at the same time, which have no target in common, in any order.
/// @return the number of units
template <class Action>
std::size_t for_ranges(const StepSchedule& schedule, const Action& action) {
  if (schedule.tiles == nullptr) {
    std::size_t unit = 0;
    for (const LoopPart& part : *schedule.parts) {
      for (const auto& stage : part.plan->stages)
        for (const IndexRanges& ranges : stage)
          for (const IndexRange& rows : ranges) action(unit, rows.begin, rows.end);
      ++unit;
    }
    return unit;
  }
  for (const auto& stage : schedule.tiles->stages)
    for (const auto& items : stage)
      for (const TileItem& item : items) {
        if (item.loop != schedule.loop) continue;
        const TileRun* const runs = schedule.tiles->runs.data() + item.first_run;
        for (std::uint32_t k = 0; k < item.runs; ++k)
          action(item.number, runs[k].begin, runs[k].end);
      }
  return schedule.tiles->items;
}

/// Dats to which a step adds through the same columns.
struct Added {
  const core::Set* set;
  std::vector<AddedColumn> columns;  ///< in the order of the arguments, each once
  std::vector<std::size_t> args;     ///< the first of each dat

  bool shares_slots_with(const Added& other) const {
    return set == other.set && columns == other.columns;
  }
};

std::vector<Added> added_by(const Step& step) {
  std::vector<Added> by_dat;
  for (const jit::SlottedArg& slotted : jit::slotted_args(arg_shapes(step.args))) {
    const core::LoopArg& arg = step.args[slotted.arg];
    const auto same_dat = [&](const Added& one) { return step.args[one.args[0]].dat == arg.dat; };
    auto known = std::ranges::find_if(by_dat, same_dat);
    if (known == by_dat.end()) known = by_dat.insert(known, {step.set, {}, {slotted.arg}});
    if (slotted.sum == slotted.arg) known->columns.push_back({arg.map, arg.column});
  }
  std::vector<Added> all;
  for (Added& one : by_dat) {
    const auto alike =
        std::ranges::find_if(all, [&](const Added& other) { return other.shares_slots_with(one); });
    if (alike == all.end())
      all.push_back(std::move(one));
    else
      alike->args.push_back(one.args[0]);
  }
  return all;
}

/// What one step does with the slots of a table.
struct User {
  std::size_t step;
  Added added;
};

/// Steps that share slots.
std::vector<std::vector<User>> users_of(std::span<const ScheduledStep> steps) {
  std::vector<std::vector<User>> all;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (steps[s].step == nullptr) continue;
    for (Added& added : added_by(*steps[s].step)) {
      const auto known = std::ranges::find_if(all, [&](const std::vector<User>& users) {
        return users[0].added.shares_slots_with(added);
      });
      if (known == all.end())
        all.push_back({{s, std::move(added)}});
      else
        known->push_back({s, std::move(added)});
    }
  }
  return all;
}

/// Fills slots with what adds nothing: of floating-point numbers, -0.
void clear(const core::LoopArg& arg, std::byte* slots, std::int64_t count) {
  core::with_type(arg.type, [&]<class T>() {
    std::fill_n(reinterpret_cast<T*>(slots), count * arg.dim, static_cast<T>(-T{}));
  });
}

void add_memory(const core::LoopArg& arg, SlotTable& table) {
  core::Buffer& memory = table.memory[arg.dat];
  if (memory != nullptr) return;
  memory = core::allocate_zeroed(static_cast<std::size_t>(table.slots) *
                                 core::size_of(arg.type, arg.dim));
  clear(arg, memory.get(), table.slots);
}

/// The rows of a table by the units of a schedule.
SlotUse use_of(const SlotTable& table, const Added& added, const ScheduledStep& step) {
  constexpr std::int64_t not_added = -1;
  const core::Set& targets = *core::record_of(added.columns[0].map->to);
  std::vector<std::int64_t> last_unit(static_cast<std::size_t>(targets.rows()), not_added);
  std::size_t first_unit = 0;
  const auto note = [&](std::size_t unit, std::int64_t begin, std::int64_t end) {
    for (const AddedColumn& c : added.columns)
      for (std::int64_t e = begin; e < end; ++e)
        last_unit[static_cast<std::size_t>(c.map->map[e * c.map->dim + c.column])] =
            static_cast<std::int64_t>(first_unit + unit);
  };
  const std::size_t interior = for_ranges(step.interior, note);
  first_unit = interior;
  const std::size_t units = interior + for_ranges(step.boundary, note);
  std::vector<std::uint32_t> next(units + 1, 0);  // row of each unit
  for (const SlottedRow& row : table.rows)
    if (last_unit[row.row] != not_added) ++next[last_unit[row.row] + 1];
  for (std::size_t unit = 0; unit < units; ++unit) next[unit + 1] += next[unit];
  SlotUse use{&table, {}, std::vector<SlottedRow>(next[units]), {}};
  for (const std::size_t arg : added.args)
    use.dats.push_back({arg, table.memory.at(step.step->args[arg].dat).get()});
  use.begin[0].assign(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(interior) + 1);
  use.begin[1].assign(next.begin() + static_cast<std::ptrdiff_t>(interior), next.end());
  for (const SlottedRow& row : table.rows)
    if (last_unit[row.row] != not_added) use.rows[next[last_unit[row.row]]++] = row;
  return use;
}

/// Adds the slots of the steps that share them to the plan's.
void add_table(const core::Mesh& mesh, std::span<const ScheduledStep> steps,
               std::span<const User> users, PlanSlots& slots) {
  const Added& first = users[0].added;
  SlotFinder finder(*first.set, first.columns, core::followed_map(mesh, *first.set));
  for (const User& user : users) {
    finder.begin_step();
    const auto visit = [&](std::size_t, std::int64_t begin, std::int64_t end) {
      finder.visit(begin, end);
      slots.steps[user.step].added += (end - begin) * std::ssize(first.columns);
    };
    for_ranges(steps[user.step].interior, visit);
    for_ranges(steps[user.step].boundary, visit);
  }
  if (!finder.any()) return;
  SlotTable& table = *slots.tables.emplace_back(std::make_unique<SlotTable>());
  finder.assign(table);
  for (const User& user : users) {
    const ScheduledStep& step = steps[user.step];
    for (const std::size_t arg : user.added.args) add_memory(step.step->args[arg], table);
    StepSlots& made = slots.steps[user.step];
    made.uses.push_back(use_of(table, user.added, step));
    for (const SlottedRow& row : made.uses.back().rows) made.slotted += row.count;
  }
}

void add_rows(const core::LoopArg& arg, std::byte* memory, std::span<const SlottedRow> added) {
  const auto dim = static_cast<std::ptrdiff_t>(arg.dim);
  core::with_type(arg.type, [&]<class T>() {
    T* const rows = reinterpret_cast<T*>(arg.dat->rows.host_address());
    T* const slots = reinterpret_cast<T*>(memory);
    for (const SlottedRow& slotted : added) {
      T* const row = rows + slotted.row * dim;
      T* slot = slots + slotted.first * dim;
      for (std::int32_t s = 0; s < slotted.count; ++s, slot += dim)
        for (std::ptrdiff_t k = 0; k < dim; ++k) {
          row[k] = static_cast<T>(row[k] + slot[k]);
          slot[k] = static_cast<T>(-T{});
        }
    }
  });
}

}  // namespace

std::span<const SlottedRow> SlotUse::rows_of(Phase phase, std::size_t unit) const {
  const std::vector<std::uint32_t>& units = begin[phase == Phase::interior ? 0 : 1];
  return std::span(rows).subspan(units[unit], units[unit + 1] - units[unit]);
}

PlanSlots make_slots(const core::Mesh& mesh, std::span<const ScheduledStep> steps) {
  PlanSlots slots{std::vector<StepSlots>(steps.size()), {}};
  for (const std::vector<User>& users : users_of(steps)) add_table(mesh, steps, users, slots);
  return slots;
}

std::vector<core::ArgBinding> bindings_of(const Step& step, const StepSlots& slots) {
  std::vector<core::ArgBinding> bindings;
  for (const jit::SlottedArg& slotted : jit::slotted_args(arg_shapes(step.args))) {
    const core::LoopArg& arg = step.args[slotted.arg];
    core::ArgBinding binding{nullptr, arg.map->map + arg.column, arg.map->dim};
    for (const SlotUse& use : slots.uses)
      for (const SlotUse::SlottedDat& dat : use.dats)
        if (step.args[dat.arg].dat == arg.dat)
          binding = {dat.slots, use.table->targets.at(arg.map).data() + arg.column, arg.map->dim};
    bindings.push_back(binding);
  }
  return bindings;
}

void add_slots(const Step& step, const StepSlots& slots, Phase phase, std::size_t unit, int thread,
               int threads) {
  for (const SlotUse& use : slots.uses) {
    const std::span<const SlottedRow> rows = use.rows_of(phase, unit);
    const std::size_t of = static_cast<std::size_t>(threads), t = static_cast<std::size_t>(thread);
    const std::size_t first = rows.size() * t / of, last = rows.size() * (t + 1) / of;
    for (const SlotUse::SlottedDat& dat : use.dats)
      add_rows(step.args[dat.arg], dat.slots, rows.subspan(first, last - first));
  }
}

std::string description_of(const StepSlots& slots) {
  if (slots.added == 0) return {};
  return fmt::format(", {} of {} rows are added to slots", slots.slotted, slots.added);
}

}  // namespace op2::sched
