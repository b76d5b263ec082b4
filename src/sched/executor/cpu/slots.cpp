// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cpu/slots.hpp>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <core/arithmetic.hpp>
#include <core/ordering_map.hpp>
#include <core/value_type.hpp>
#include <jit/slotted_args.hpp>
#include <sched/executor/cpu/find_slots.hpp>
#include <sched/shapes.hpp>

namespace op2::sched {
namespace {

/// What a step executes: ranges in the order of their execution; those that run at the same time,
/// which have no target in common, in any order.
struct Execution {
  std::vector<ExecutedRange> ranges;
  std::int64_t interior_units = 0, units = 0;  ///< those of the boundary follow

  bool operator==(const Execution&) const = default;
  std::int64_t elements() const {
    std::int64_t sum = 0;
    for (const ExecutedRange& range : ranges) sum += range.end - range.begin;
    return sum;
  }
};

/// Adds what is executed in one phase.
void add_phase(const StepSchedule& schedule, Execution& all) {
  const std::int64_t first_unit = all.units;
  if (schedule.tiles == nullptr) {
    for (const LoopPart& part : *schedule.parts) {
      for (const auto& stage : part.plan->stages)
        for (const IndexRanges& ranges : stage)
          for (const IndexRange& rows : ranges)
            all.ranges.push_back({rows.begin, rows.end, all.units});
      ++all.units;
    }
    return;
  }
  for (const auto& stage : schedule.tiles->stages)
    for (const auto& items : stage)
      for (const TileItem& item : items) {
        if (item.loop != schedule.loop) continue;
        const TileRun* const runs = schedule.tiles->runs.data() + item.first_run;
        for (std::uint32_t k = 0; k < item.runs; ++k)
          all.ranges.push_back({runs[k].begin, runs[k].end, first_unit + item.number});
      }
  all.units += static_cast<std::int64_t>(schedule.tiles->items);
}

Execution execution_of(const ScheduledStep& step) {
  Execution all;
  add_phase(step.interior, all);
  all.interior_units = all.units;
  add_phase(step.boundary, all);
  return all;
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

/// The rows of a table by the units of a step.
UnitRows rows_by_unit(const SlotFinder& finder, const Execution& execution) {
  const auto interior = static_cast<std::ptrdiff_t>(execution.interior_units);
  const auto units = static_cast<std::size_t>(execution.units);
  const std::vector<std::int64_t> unit = finder.last_units(execution.ranges);
  std::vector<std::uint32_t> next(units + 1, 0);  // row of each unit
  for (const std::int64_t u : unit)
    if (u >= 0) ++next[static_cast<std::size_t>(u) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  UnitRows made;
  made.rows.resize(next[units]);
  made.begin[0].assign(next.begin(), next.begin() + interior + 1);
  made.begin[1].assign(next.begin() + interior, next.end());
  for (std::size_t k = 0; k < unit.size(); ++k)
    if (unit[k] >= 0)
      made.rows[next[static_cast<std::size_t>(unit[k])]++] = static_cast<std::uint32_t>(k);
  return made;
}

/// One of `known`, if it is equal.
std::shared_ptr<const UnitRows> shared(UnitRows made,
                                       std::vector<std::shared_ptr<const UnitRows>>& known) {
  const auto equal = std::ranges::find_if(known, [&](const auto& other) { return *other == made; });
  if (equal != known.end()) return *equal;
  return known.emplace_back(std::make_shared<const UnitRows>(std::move(made)));
}

/// The slots that were found; those of an earlier plan if they are the same.
std::shared_ptr<SlotTable> table_of(const SlotFinder& finder, SlotTables& known, PlanSlots& slots) {
  auto table = std::make_shared<SlotTable>();
  finder.assign(*table);
  std::erase_if(known, [](const auto& other) { return other.expired(); });
  for (const std::weak_ptr<SlotTable>& one : known)
    if (const auto other = one.lock(); other->equals(*table)) {
      slots.shared_bytes += other->bytes();
      return other;
    }
  known.push_back(table);
  return table;
}

/// What the users of a table execute. Many do the same.
struct Executions {
  std::vector<Execution> different;
  std::vector<std::size_t> of_user;  ///< which of these
  std::int64_t end = 0;              ///< of all elements
};

Executions executions_of(std::span<const ScheduledStep> steps, std::span<const User> users) {
  Executions all;
  for (const User& user : users) {
    Execution one = execution_of(steps[user.step]);
    for (const ExecutedRange& range : one.ranges) all.end = std::max(all.end, range.end);
    const auto same = std::ranges::find(all.different, one);
    all.of_user.push_back(static_cast<std::size_t>(same - all.different.begin()));
    if (same == all.different.end()) all.different.push_back(std::move(one));
  }
  return all;
}

/// Adds the slots of the steps that share them to the plan's.
void add_table(const core::Mesh& mesh, std::span<const ScheduledStep> steps,
               std::span<const User> users, SlotTables& earlier, PlanSlots& slots) {
  const Added& first = users[0].added;
  const Executions executions = executions_of(steps, users);
  for (std::size_t u = 0; u < users.size(); ++u)
    slots.steps[users[u].step].added +=
        executions.different[executions.of_user[u]].elements() * std::ssize(first.columns);
  SlotFinder finder(*first.set, executions.end, first.columns,
                    core::ordering_map(mesh, *first.set));
  for (const Execution& execution : executions.different) finder.note(execution.ranges);
  if (!finder.find_rows()) return;
  finder.collect();
  for (const Execution& execution : executions.different) finder.find_direct(execution.ranges);
  finder.drop_direct_rows();
  if (finder.rows().empty()) return;
  SlotTable& table = *slots.tables.emplace_back(table_of(finder, earlier, slots));
  std::vector<std::shared_ptr<const UnitRows>> units, known;
  for (const Execution& execution : executions.different)
    units.push_back(shared(rows_by_unit(finder, execution), known));
  for (std::size_t u = 0; u < users.size(); ++u) {
    const Step& step = *steps[users[u].step].step;
    StepSlots& made = slots.steps[users[u].step];
    SlotUse& use = made.uses.emplace_back(SlotUse{&table, {}, units[executions.of_user[u]]});
    for (const std::size_t arg : users[u].added.args) {
      add_memory(step.args[arg], table);
      use.dats.push_back({arg, table.memory.at(step.args[arg].dat).get()});
    }
    for (const std::uint32_t row : use.units->rows) made.slotted += table.rows[row].count;
  }
}

template <class T>
std::size_t bytes_of(const std::vector<T>& list) {
  return list.size() * sizeof(T);
}

void add_rows(const core::LoopArg& arg, std::byte* memory, std::span<const SlottedRow> all,
              std::span<const std::uint32_t> added) {
  const auto dim = static_cast<std::ptrdiff_t>(arg.dim);
  core::with_type(arg.type, [&]<class T>() {
    T* const rows = reinterpret_cast<T*>(arg.dat->rows.host_address());
    T* const slots = reinterpret_cast<T*>(memory);
    for (const std::uint32_t number : added) {
      const SlottedRow& slotted = all[number];
      T* const row = rows + slotted.row * dim;
      T* const first = slots + slotted.first * dim;
      for (std::ptrdiff_t k = 0; k < dim; ++k) {
        T sum = row[k];
        for (std::ptrdiff_t s = 0; s < slotted.count; ++s) {
          sum = static_cast<T>(sum + first[s * dim + k]);
          first[s * dim + k] = static_cast<T>(-T{});
        }
        row[k] = sum;
      }
    }
  });
}

}  // namespace

std::span<const std::uint32_t> SlotUse::rows_of(Phase phase, std::size_t unit) const {
  const std::vector<std::uint32_t>& begin = units->begin[phase == Phase::interior ? 0 : 1];
  return std::span(units->rows).subspan(begin[unit], begin[unit + 1] - begin[unit]);
}

bool SlotTable::equals(const SlotTable& other) const {
  return rows == other.rows && std::ranges::equal(maps, other.maps, [](auto& a, auto& b) {
           return a.first == b.first && a.second.equals(b.second);
         });
}

PlanSlots make_slots(const core::Mesh& mesh, std::span<const ScheduledStep> steps,
                     SlotTables& known) {
  PlanSlots slots{std::vector<StepSlots>(steps.size()), {}};
  for (const std::vector<User>& users : users_of(steps))
    add_table(mesh, steps, users, known, slots);
  for (const auto& dat : mesh.dats()) slots.mesh_bytes += dat->bytes();
  for (const auto& map : mesh.maps()) slots.mesh_bytes += map->entries.bytes();
  return slots;
}

std::size_t SlotTable::bytes() const {
  std::size_t bytes = bytes_of(rows);
  for (const auto& [dat, all] : memory)
    bytes += static_cast<std::size_t>(slots) * static_cast<std::size_t>(dat->size);
  for (const auto& [map, slotted] : maps) bytes += slotted.bytes();
  return bytes;
}

std::size_t PlanSlots::bytes() const {
  std::size_t bytes = 0;
  for (const auto& table : tables) bytes += table->bytes();
  std::set<const UnitRows*> lists;
  for (const StepSlots& step : steps)
    for (const SlotUse& use : step.uses)
      if (const UnitRows& units = *use.units; lists.insert(&units).second)
        bytes += bytes_of(units.rows) + bytes_of(units.begin[0]) + bytes_of(units.begin[1]);
  return bytes;
}

std::vector<core::ArgBinding> bindings_of(const Step& step, const StepSlots& slots) {
  std::vector<core::ArgBinding> bindings;
  for (const jit::SlottedArg& slotted : jit::slotted_args(arg_shapes(step.args))) {
    const core::LoopArg& arg = step.args[slotted.arg];
    core::ArgBinding binding{nullptr, nullptr, arg.map->dim};
    for (const SlotUse& use : slots.uses)
      for (const SlotUse::SlottedDat& dat : use.dats)
        if (step.args[dat.arg].dat == arg.dat)
          binding = {dat.slots + use.table->slots * core::size_of(arg.type, arg.dim),
                     reinterpret_cast<const std::int32_t*>(use.table->maps.at(arg.map).elements()),
                     arg.map->dim};
    bindings.push_back(binding);
  }
  return bindings;
}

void add_slots(const Step& step, const StepSlots& slots, Phase phase, std::size_t unit, int thread,
               int threads) {
  for (const SlotUse& use : slots.uses) {
    const std::span<const std::uint32_t> rows = use.rows_of(phase, unit);
    const core::BlockRange share(rows.size(), thread, threads);
    for (const SlotUse::SlottedDat& dat : use.dats)
      add_rows(step.args[dat.arg], dat.slots, use.table->rows,
               rows.subspan(share.begin, share.size()));
  }
}

std::string description_of(const StepSlots& slots) {
  if (slots.added == 0) return {};
  return fmt::format(", {} of {} rows are added to slots", slots.slotted, slots.added);
}

std::string description_of(const PlanSlots& slots) {
  if (slots.tables.empty()) return {};
  return fmt::format("  slots take {} bytes, {} of them with other plans, dats and maps {}\n",
                     slots.bytes(), slots.shared_bytes, slots.mesh_bytes);
}

}  // namespace op2::sched
