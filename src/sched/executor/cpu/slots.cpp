// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cpu/slots.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

#include <core/arithmetic.hpp>
#include <core/error.hpp>
#include <core/inverse_map.hpp>
#include <core/memory.hpp>
#include <core/mesh.hpp>
#include <core/value_type.hpp>
#include <jit/loop_nest.hpp>
#include <sched/loop_requests.hpp>

namespace op2::sched {

/// An entry that leads to a slot.
struct SlotEntry {
  std::int32_t element, column;
  std::int32_t target;  ///< negative
};

constexpr std::int64_t per_word = 64;

std::size_t word_of(std::int64_t element) {
  return static_cast<std::size_t>(element / per_word);
}

std::uint64_t bit_of(std::int64_t element) {
  return std::uint64_t{1} << element % per_word;
}

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
  std::size_t bytes() const {
    return elements_.size() * sizeof elements_[0] + targets_.size() * sizeof targets_[0];
  }
  /// Whether both lead everywhere to the same targets.
  bool operator==(const SlottedMap& other) const {
    return &map_ == &other.map_ && targets_ == other.targets_ &&
           std::ranges::equal(elements_, other.elements_, {}, &core::SlottedElements::which,
                              &core::SlottedElements::which);
  }

 private:
  std::size_t arity() const { return static_cast<std::size_t>(map_.dim); }
  std::size_t position_of(std::int64_t element) const;

  const core::Map& map_;
  std::vector<core::SlottedElements> elements_;
  std::vector<std::int32_t> targets_;
};

SlottedMap::SlottedMap(const core::Map& map, std::int64_t end, std::span<const SlotEntry> slotted)
    : map_(map), elements_(static_cast<std::size_t>(core::pieces_for(end, per_word))) {
  std::size_t count = 0;
  for (const SlotEntry& entry : slotted)
    elements_[word_of(entry.element)].which |= bit_of(entry.element);
  for (const core::SlottedElements& word : elements_) count += std::popcount(word.which);
  targets_.resize(count * arity());
  std::int32_t* next = targets_.data();
  for (std::size_t word = 0; word < elements_.size(); ++word) {
    elements_[word].targets = next;
    for (std::uint64_t left = elements_[word].which; left != 0; left &= left - 1) {
      const auto element = word * per_word + static_cast<std::size_t>(std::countr_zero(left));
      next = std::copy_n(map.map + element * arity(), map.dim, next);
    }
  }
  for (const SlotEntry& entry : slotted)
    targets_[position_of(entry.element) + static_cast<std::size_t>(entry.column)] = entry.target;
}

/// Of an element that is stored: where its entries begin.
std::size_t SlottedMap::position_of(std::int64_t element) const {
  const core::SlottedElements& word = elements_[word_of(element)];
  const auto before = static_cast<std::size_t>(std::popcount(word.which & (bit_of(element) - 1)));
  return static_cast<std::size_t>(word.targets - targets_.data()) + before * arity();
}

/// A row with slots [first, first + count), in the order in which they are added.
struct SlottedRow {
  std::int32_t row, first, count;
  bool operator==(const SlottedRow&) const = default;
};

namespace {

/// Fills slots with what adds nothing: of floating-point numbers, -0.
void clear(const core::LoopArg& arg, std::byte* slots, std::int64_t count) {
  core::with_type(arg.type, [&]<class T>() {
    std::fill_n(reinterpret_cast<T*>(slots), count * arg.dim, static_cast<T>(-T{}));
  });
}

}  // namespace

struct SlotTable {
  std::vector<SlottedRow> rows;  ///< ascending rows; of the target set
  std::int32_t slots = 0;
  std::map<const core::Map*, SlottedMap> maps;  ///< entries that lead to slots: slot - slots
  /// Shape [slots x dim]. They hold what adds nothing, unless a step is running.
  std::map<const core::Dat*, core::Buffer> memory;
  std::size_t bytes = 0;  ///< of all of this

  std::byte* memory_of(const core::LoopArg& arg) {
    core::Buffer& buffer = memory[arg.dat];
    if (buffer == nullptr) {
      const std::size_t size = static_cast<std::size_t>(slots) * core::size_of(arg.type, arg.dim);
      buffer = core::allocate_zeroed(size);
      clear(arg, buffer.get(), slots);
      bytes += size;
    }
    return buffer.get();
  }
};

struct UnitRows {
  /// By unit: numbers of the rows of a table that it runs the last additions to.
  core::InverseMap<std::uint32_t, std::uint32_t> by_unit;
  std::size_t interior_units;  ///< those of the boundary follow

  std::span<const std::uint32_t> of_unit(Phase phase, std::size_t unit) const {
    return by_unit.sources_of(phase == Phase::interior ? unit : interior_units + unit);
  }
  std::size_t bytes() const {
    return sizeof(std::uint32_t) * (by_unit.first.size() + by_unit.values.size());
  }
};

namespace {

/// A column of a map through which elements add rows.
struct AddedColumn {
  const core::Map* map;
  std::int32_t column;
  auto operator<=>(const AddedColumn&) const = default;
};

/// Elements [begin, end) that a unit of a schedule (slots.hpp) executes.
struct ExecutedRange {
  std::int64_t begin, end;
  std::int64_t unit;
  bool operator==(const ExecutedRange&) const = default;
};

/// What a step executes: ranges in the order of their execution; those that run at the same time,
/// which have no target in common, in any order. No element is in two.
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
void add_phase(const StepSchedule& schedule, Execution& execution) {
  const std::int64_t first_unit = execution.units;
  if (schedule.tiles == nullptr) {
    for (const LoopPart& part : *schedule.parts) {
      for (const auto& stage : part.plan->stages)
        for (const IndexRanges& ranges : stage)
          for (const IndexRange& rows : ranges)
            execution.ranges.push_back({rows.begin, rows.end, execution.units});
      ++execution.units;
    }
    return;
  }
  for (const auto& stage : schedule.tiles->stages)
    for (const auto& items : stage)
      for (const TileItem& item : items) {
        if (item.loop != schedule.loop) continue;
        const TileRun* const runs = schedule.tiles->runs.data() + item.first_run;
        for (std::uint32_t k = 0; k < item.runs; ++k)
          execution.ranges.push_back({runs[k].begin, runs[k].end, first_unit + item.number});
      }
  execution.units += static_cast<std::int64_t>(schedule.tiles->items);
}

Execution execution_of(const ScheduledStep& step) {
  Execution execution;
  add_phase(step.interior, execution);
  execution.interior_units = execution.units;
  add_phase(step.boundary, execution);
  return execution;
}

/// What an element adds to a row.
struct Contribution {
  std::int64_t key;  ///< the element's position in the canonical order
  std::int32_t column, element;
  auto operator<=>(const Contribution&) const = default;
};

/// A row to which a step adds in another order than the canonical one.
struct LateRow {
  std::int32_t row;
  std::int32_t first = 0, count = 0;  ///< its contributions, in the canonical order
  std::int32_t direct = 0;            ///< the first ones, which all steps execute in this order
};

/// Finds the slots of the steps that add through the same columns: first all that they execute is
/// marked; then, if that is of any use, collected; then all that they execute is placed.
class SlotFinder {
 public:
  /// @param end       of the elements of all steps: [0, end)
  /// @param columns   in the order of the arguments; at least one
  /// @param followed  the map by which elements of the set are sorted first, or null
  SlotFinder(const core::Set& set, std::int64_t end, std::span<const AddedColumn> columns,
             const core::Map* followed);

  /// Marks the rows to which a step adds in another order than the canonical one. Cost: some
  /// nanoseconds for each target; nothing if elements are stored and executed in that order.
  void mark_late_rows(const Execution& execution);
  /// Collects what is added to these rows; whether there are any. Cost: two passes over the maps if
  /// so.
  bool collect();
  /// Finds which of that a step may add at once, and which unit runs a row's last addition.
  UnitRows place(const Execution& execution);
  /// Gives slots to what is not added at once.
  void assign(SlotTable& table) const;

 private:
  std::int64_t key_of(std::int64_t element) const {
    return keys_.empty() ? element : keys_[element];
  }
  std::span<const Contribution> contributions_of(const LateRow& row) const {
    return std::span(contributions_)
        .subspan(static_cast<std::size_t>(row.first), static_cast<std::size_t>(row.count));
  }
  std::int32_t direct_of(const LateRow& row, std::span<const std::int32_t> ranges) const;

  std::int64_t end_;
  std::vector<AddedColumn> columns_;
  std::vector<RowAccess> accesses_;   ///< of the columns
  std::vector<std::int64_t> keys_;    ///< of the elements; empty: they are in order
  std::vector<std::int32_t> number_;  ///< per target, if any is late: in `rows_`; negative: none
  std::vector<LateRow> rows_;
  std::vector<Contribution> contributions_;
};

/// The element's position in the canonical order.
std::int64_t position_of(const core::Set& set, const core::Map* followed, std::int64_t element) {
  if (followed == nullptr) return set.canonical_position(element);
  const core::Set& targets = *core::record_of(followed->to);
  std::int64_t last = 0;
  for (int k = 0; k < followed->dim; ++k)
    last = std::max(last, targets.canonical_position(followed->map[element * followed->dim + k]));
  return last << 32 | set.global_index(element);
}

}  // namespace

std::vector<std::int64_t> canonical_positions(const core::Set& set, const core::Map* followed,
                                              std::int64_t end) {
  if (followed == nullptr && set.global_indices.empty() && set.canonical_positions.empty())
    return {};
  std::int64_t before = std::numeric_limits<std::int64_t>::min();
  const auto follows = [&](std::int64_t element) {
    const std::int64_t last = std::exchange(before, position_of(set, followed, element));
    return last <= before;
  };
  std::int64_t sorted = 0;
  while (sorted < end && follows(sorted)) ++sorted;
  if (sorted == end) return {};  // often; then without their memory
  std::vector<std::int64_t> positions(static_cast<std::size_t>(end));
  for (std::int64_t element = 0; element < end; ++element)
    positions[element] = position_of(set, followed, element);
  return positions;
}

SlotFinder::SlotFinder(const core::Set& set, std::int64_t end, std::span<const AddedColumn> columns,
                       const core::Map* followed)
    : end_(end),
      columns_(columns.begin(), columns.end()),
      keys_(canonical_positions(set, followed, end)) {
  const core::Set& targets = *core::record_of(columns.front().map->to);
  for (const AddedColumn& c : columns)
    accesses_.push_back({c.map->map + c.column, c.map->dim, targets.rows()});
}

void SlotFinder::mark_late_rows(const Execution& execution) {
  const bool in_order = std::ranges::is_sorted(execution.ranges, {}, &ExecutedRange::begin);
  if (keys_.empty() && in_order) return;
  const auto rows = static_cast<std::size_t>(accesses_.front().rows);
  if (number_.empty()) number_.assign(rows, -1);
  std::vector<std::int64_t> last(rows, -1);  // the key of the last element that adds to a row
  for (const ExecutedRange& range : execution.ranges)
    for (std::int64_t element = range.begin; element < range.end; ++element) {
      const std::int64_t key = key_of(element);
      for (const RowAccess& access : accesses_) {
        const auto row = static_cast<std::size_t>(access.row_of(element));
        if (std::exchange(last[row], key) > key) number_[row] = 0;
      }
    }
}

bool SlotFinder::collect() {
  for (std::size_t row = 0; row < number_.size(); ++row) {
    if (number_[row] < 0) continue;
    number_[row] = static_cast<std::int32_t>(rows_.size());
    rows_.push_back({static_cast<std::int32_t>(row)});
  }
  if (rows_.empty()) return false;
  auto by_row = core::invert<Contribution, std::int32_t>(rows_.size(), [&](const auto& add) {
    std::int64_t count = 0;
    for (std::int64_t element = 0; element < end_; ++element)
      for (std::size_t k = 0; k < accesses_.size(); ++k) {
        const std::int32_t number = number_[accesses_[k].row_of(element)];
        if (number < 0) continue;
        if (++count > std::numeric_limits<std::int32_t>::max())
          core::fail(ErrorCode::too_large,
                     "too many slots: OP2_REPRODUCIBLE=on, more than 2^31 of one loop on a rank; "
                     "declare the elements in an order of better locality, or use more ranks");
        add(number, Contribution{key_of(element), static_cast<std::int32_t>(k),
                                 static_cast<std::int32_t>(element)});
      }
  });
  contributions_ = std::move(by_row.values);
  for (std::size_t number = 0; number < rows_.size(); ++number) {
    LateRow& row = rows_[number];
    row.first = by_row.first[number];
    row.direct = row.count = by_row.first[number + 1] - row.first;
    std::sort(contributions_.begin() + row.first, contributions_.begin() + row.first + row.count);
  }
  return true;
}

/// How many of a row's first contributions are executed one after the other.
/// @param ranges  of each element, that in which it is executed; negative: it is not
std::int32_t SlotFinder::direct_of(const LateRow& row, std::span<const std::int32_t> ranges) const {
  std::pair<std::int32_t, std::int32_t> before{-1, -1};  // range, element
  const std::span<const Contribution> all = contributions_of(row);
  for (std::int32_t k = 0; k < row.direct; ++k) {
    const std::int32_t element = all[k].element;
    const std::pair now{ranges[element], element};
    if (now.first < 0) continue;
    if (now < before) return k;
    before = now;
  }
  return row.direct;
}

UnitRows SlotFinder::place(const Execution& execution) {
  std::vector<std::int32_t> ranges(static_cast<std::size_t>(end_), -1);  // of each element
  for (std::size_t n = 0; n < execution.ranges.size(); ++n)
    std::fill(ranges.begin() + execution.ranges[n].begin, ranges.begin() + execution.ranges[n].end,
              static_cast<std::int32_t>(n));
  std::vector<std::int64_t> last_units;
  for (LateRow& row : rows_) {
    row.direct = direct_of(row, ranges);
    std::int64_t& unit = last_units.emplace_back(-1);
    for (const Contribution& c : contributions_of(row))
      if (const std::int32_t range = ranges[c.element]; range >= 0)
        unit = std::max(unit, execution.ranges[range].unit);
  }
  return {core::invert<std::uint32_t, std::uint32_t>(
              static_cast<std::size_t>(execution.units),
              [&](const auto& add) {
                for (std::size_t row = 0; row < last_units.size(); ++row)
                  if (last_units[row] >= 0) add(last_units[row], static_cast<std::uint32_t>(row));
              }),
          static_cast<std::size_t>(execution.interior_units)};
}

void SlotFinder::assign(SlotTable& table) const {
  for (const LateRow& late : rows_) {
    table.rows.push_back({late.row, table.slots, late.count - late.direct});
    table.slots += late.count - late.direct;
  }
  std::map<const core::Map*, std::vector<SlotEntry>> entries;
  std::int32_t slot = -table.slots;
  for (const LateRow& late : rows_)
    for (const Contribution& c :
         contributions_of(late).subspan(static_cast<std::size_t>(late.direct))) {
      const AddedColumn& column = columns_[c.column];
      entries[column.map].push_back({c.element, column.column, slot++});
    }
  for (const AddedColumn& c : columns_) table.maps.try_emplace(c.map, *c.map, end_, entries[c.map]);
  table.bytes = table.rows.size() * sizeof table.rows[0];
  for (const auto& [map, slotted] : table.maps) table.bytes += slotted.bytes();
}

namespace {

/// Steps over a set that add through the same columns, and therefore share slots.
struct Sharing {
  struct User {
    std::size_t step;
    std::vector<std::size_t> args;  ///< the first of each dat
  };
  const core::Set* set;
  std::vector<AddedColumn> columns;  ///< in the order of the arguments, each once
  std::vector<User> users;
};

/// The columns through which a step adds to each dat, by its first argument.
std::map<std::size_t, std::vector<AddedColumn>> added_by(const Step& step) {
  std::map<std::size_t, std::vector<AddedColumn>> columns;
  for (const jit::SlottedArg& slotted : jit::slotted_args(arg_shapes(step.args))) {
    const core::LoopArg& arg = step.args[slotted.arg];
    const auto known = std::ranges::find_if(
        columns, [&](const auto& dat) { return step.args[dat.first].dat == arg.dat; });
    auto& of_dat = known != columns.end() ? known->second : columns[slotted.arg];
    if (slotted.sum == slotted.arg) of_dat.push_back({arg.map, arg.column});
  }
  return columns;
}

std::vector<Sharing> find_sharing(std::span<const ScheduledStep> steps) {
  std::vector<Sharing> all;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (steps[s].step == nullptr) continue;
    for (auto& added : added_by(*steps[s].step)) {
      const core::Set* const set = steps[s].step->set;
      auto known = std::ranges::find_if(all, [&](const Sharing& sharing) {
        return sharing.set == set && sharing.columns == added.second;
      });
      if (known == all.end()) known = all.insert(known, {set, std::move(added.second), {}});
      if (known->users.empty() || known->users.back().step != s) known->users.push_back({s, {}});
      known->users.back().args.push_back(added.first);
    }
  }
  return all;
}

/// The slots that were found; those of an earlier plan if they are the same.
std::shared_ptr<SlotTable> table_of(const SlotFinder& finder, SlotTables& known, PlanSlots& slots) {
  auto table = std::make_shared<SlotTable>();
  finder.assign(*table);
  std::erase_if(known, [](const auto& other) { return other.expired(); });
  for (const std::weak_ptr<SlotTable>& earlier : known)
    if (const auto other = earlier.lock();
        other->rows == table->rows && other->maps == table->maps) {
      slots.shared_bytes += other->bytes;
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

Executions executions_of(std::span<const ScheduledStep> steps, const Sharing& sharing) {
  Executions all;
  for (const Sharing::User& user : sharing.users) {
    Execution execution = execution_of(steps[user.step]);
    for (const ExecutedRange& range : execution.ranges) all.end = std::max(all.end, range.end);
    const auto same = std::ranges::find(all.different, execution);
    all.of_user.push_back(static_cast<std::size_t>(same - all.different.begin()));
    if (same == all.different.end()) all.different.push_back(std::move(execution));
  }
  return all;
}

/// Adds the slots of the steps that share them to the plan's.
void add_table(const core::Mesh& mesh, std::span<const ScheduledStep> steps, const Sharing& sharing,
               SlotTables& earlier, PlanSlots& slots) {
  const Executions executions = executions_of(steps, sharing);
  for (std::size_t u = 0; u < sharing.users.size(); ++u)
    slots.steps[sharing.users[u].step].added +=
        executions.different[executions.of_user[u]].elements() * std::ssize(sharing.columns);
  SlotFinder finder(*sharing.set, executions.end, sharing.columns, mesh.ordering_map(*sharing.set));
  for (const Execution& execution : executions.different) finder.mark_late_rows(execution);
  if (!finder.collect()) return;
  std::vector<std::shared_ptr<const UnitRows>> units;
  for (const Execution& execution : executions.different)
    units.push_back(std::make_shared<const UnitRows>(finder.place(execution)));
  SlotTable& table = *slots.tables.emplace_back(table_of(finder, earlier, slots));
  for (std::size_t u = 0; u < sharing.users.size(); ++u) {
    const auto& [s, args] = sharing.users[u];
    SlotUse& use =
        slots.steps[s].uses.emplace_back(SlotUse{&table, {}, units[executions.of_user[u]]});
    for (const std::size_t arg : args)
      use.dats.push_back({arg, table.memory_of(steps[s].step->args[arg])});
    for (const std::uint32_t row : use.units->by_unit.values)
      slots.steps[s].slotted += table.rows[row].count;
  }
  slots.bytes += table.bytes;
  for (const auto& rows : units) slots.bytes += rows->bytes();
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

PlanSlots make_slots(const core::Mesh& mesh, std::span<const ScheduledStep> steps,
                     SlotTables& known) {
  PlanSlots slots{std::vector<StepSlots>(steps.size()), {}};
  for (const Sharing& sharing : find_sharing(steps)) add_table(mesh, steps, sharing, known, slots);
  for (const auto& dat : mesh.dats()) slots.mesh_bytes += dat->bytes();
  for (const auto& map : mesh.maps()) slots.mesh_bytes += map->entries.bytes();
  return slots;
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
    const std::span<const std::uint32_t> rows = use.units->of_unit(phase, unit);
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
                     slots.bytes, slots.shared_bytes, slots.mesh_bytes);
}

}  // namespace op2::sched
