// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cpu/slots.hpp>

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <map>
#include <ranges>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <core/arithmetic.hpp>
#include <core/error.hpp>
#include <core/inverse_map.hpp>
#include <core/ordering_map.hpp>
#include <core/value_type.hpp>
#include <jit/loop_nest.hpp>
#include <sched/shapes.hpp>

namespace op2::sched {
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

/// Finds the ranges of elements, in a few nanoseconds: blocks of elements know their first range.
class RangeFinder {
 public:
  /// @param ranges  in the order of execution; no element is in two
  explicit RangeFinder(std::span<const ExecutedRange> ranges);
  /// The number of the range; -1: the element is not executed.
  std::int32_t of(std::int64_t element) const;
  /// First elements of ranges that are executed before the one that is stored before them.
  /// Ascending. Elements with none between them are executed in the order in which they are stored.
  std::vector<std::int64_t> turns() const;

 private:
  struct Numbered {
    std::int64_t begin, end;
    std::int32_t number;
  };
  std::vector<Numbered> sorted_;      ///< and one behind all elements
  std::vector<std::uint32_t> first_;  ///< of these, for each block: none before ends in it or later
  std::int64_t end_ = 0;
};

constexpr std::int64_t per_word = 64;

std::size_t word_of(std::int64_t element) {
  return static_cast<std::size_t>(element / per_word);
}

std::uint64_t bit_of(std::int64_t element) {
  return std::uint64_t{1} << element % per_word;
}

/// Elements, of which one can ask whether any is in a range. A bit and half a bit for each element.
class ElementBits {
 public:
  explicit ElementBits(std::int64_t end) : words_(word_of(end) + 1) {}
  void add(std::int64_t element);
  bool empty() const { return empty_; }
  /// When all were added, before the first question.
  void count();
  /// Whether any element is in (first, last].
  bool any_between(std::int64_t first, std::int64_t last) const {
    return number_up_to(first) != number_up_to(last);
  }

 private:
  struct Word {
    std::uint64_t bits = 0;
    std::int32_t before = 0;  ///< elements in the words before
  };
  std::int32_t number_up_to(std::int64_t element) const;

  std::vector<Word> words_;
  bool empty_ = true;
};

/// What an element adds to a row.
struct Contribution {
  std::int64_t key;  ///< the element's position in the canonical order
  std::int32_t column, element;
  auto operator<=>(const Contribution&) const = default;
};

/// A row to which elements add in another order than the canonical one, in any step.
struct LateRow {
  std::int32_t row, first, count;  ///< its contributions, in the canonical order
  std::int32_t direct;             ///< the first ones, which all steps execute in this order
};

/// Finds the slots of the steps that add through the same columns. For each step, first `note`;
/// then `find_rows`, and if there are any, `collect`; for each step `find_direct`; then the rest.
class SlotFinder {
 public:
  /// @param end       of the elements of all steps: [0, end)
  /// @param columns   in the order of the arguments; at least one
  /// @param followed  the map by which elements of the set are sorted first, or null
  SlotFinder(const core::Set& set, std::int64_t end, std::span<const AddedColumn> columns,
             const core::Map* followed);

  /// Notes where a step executes elements in another order than that in which they are stored.
  /// @param ranges  in the order of execution
  void note(std::span<const ExecutedRange> ranges);
  /// Finds the rows to which steps may add in another order than the canonical one; whether there
  /// are any. Cost: a pass over the maps, and some nanoseconds for each row; nothing if elements
  /// are stored and executed in the canonical order.
  bool find_rows();

  /// Collects what is added to these rows. Cost: a pass over the maps.
  void collect();
  /// Finds which of that a step may add at once.
  void find_direct(std::span<const ExecutedRange> ranges);
  /// Forgets the rows of which that is all.
  void drop_direct_rows();

  /// Ascending rows.
  std::span<const LateRow> rows() const { return rows_; }
  /// Gives slots to what is not added at once.
  void assign(SlotTable& table) const;
  /// For each row the last unit of a step that adds to it, or -1.
  std::vector<std::int64_t> last_units(std::span<const ExecutedRange> ranges) const;

 private:
  struct Addition {
    std::int32_t row, column, element;
  };
  /// The first and the last element that add to a row.
  struct Span {
    std::int32_t first = -1, last = -1;
    bool is_sorted = true;  ///< they and those between are stored in the canonical order
  };
  std::int64_t key_of(std::int64_t element) const {
    return keys_.empty() ? element : keys_[static_cast<std::size_t>(element)];
  }
  std::span<const Contribution> contributions_of(const LateRow& row) const {
    return std::span(contributions_)
        .subspan(static_cast<std::size_t>(row.first), static_cast<std::size_t>(row.count));
  }
  std::vector<Span> spans() const;
  std::int32_t direct_of(const LateRow& row, const RangeFinder& ranges) const;
  std::vector<Addition> additions_to_noted_rows() const;

  std::int64_t end_;
  std::vector<AddedColumn> columns_;
  std::vector<RowAccess> accesses_;  ///< of the columns
  std::vector<std::int64_t> keys_;   ///< of the elements; empty: their rows are in order
  ElementBits turns_;                ///< of all steps
  std::vector<char> is_noted_;       ///< per target
  std::vector<LateRow> rows_;
  std::vector<Contribution> contributions_;
};

std::size_t arity_of(const core::Map& map) {
  return static_cast<std::size_t>(map.dim);
}

}  // namespace

SlottedMap::SlottedMap(const core::Map& map, std::int64_t end, std::span<const SlotEntry> slotted)
    : map_(map), elements_(static_cast<std::size_t>(core::pieces_for(end, per_word))) {
  std::size_t count = 0;
  for (const SlotEntry& entry : slotted)
    elements_[word_of(entry.element)].which |= bit_of(entry.element);
  for (const core::SlottedElements& some : elements_) count += std::popcount(some.which);
  targets_.resize(count * arity_of(map));
  std::int32_t* next = targets_.data();
  for (std::size_t word = 0; word < elements_.size(); ++word) {
    elements_[word].targets = next;
    for (std::uint64_t left = elements_[word].which; left != 0; left &= left - 1) {
      const auto element = word * per_word + static_cast<std::size_t>(std::countr_zero(left));
      next = std::copy_n(map.map + element * arity_of(map), map.dim, next);
    }
  }
  for (const SlotEntry& entry : slotted)
    targets_[position_of(entry.element) + static_cast<std::size_t>(entry.column)] = entry.target;
}

/// Of an element that is stored: where its entries begin.
std::size_t SlottedMap::position_of(std::int64_t element) const {
  const core::SlottedElements& some = elements_[word_of(element)];
  const auto before = static_cast<std::size_t>(std::popcount(some.which & (bit_of(element) - 1)));
  return static_cast<std::size_t>(some.targets - targets_.data()) + before * arity_of(map_);
}

bool SlottedMap::equals(const SlottedMap& other) const {
  return &map_ == &other.map_ && targets_ == other.targets_ &&
         std::ranges::equal(elements_, other.elements_, {}, &core::SlottedElements::which,
                            &core::SlottedElements::which);
}

std::size_t SlottedMap::bytes() const {
  return elements_.size() * sizeof elements_[0] + targets_.size() * sizeof targets_[0];
}

namespace {

/// Of a finder of ranges.
constexpr std::int64_t elements_of_block = 64;

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
  const auto elements = std::views::iota(std::int64_t{0}, end);
  if (std::ranges::all_of(elements, follows)) return {};  // often; then without their memory
  std::vector<std::int64_t> positions(static_cast<std::size_t>(end));
  for (const std::int64_t element : elements)
    positions[static_cast<std::size_t>(element)] = position_of(set, followed, element);
  return positions;
}

RangeFinder::RangeFinder(std::span<const ExecutedRange> ranges) {
  sorted_.reserve(ranges.size() + 1);
  for (const ExecutedRange& range : ranges)
    if (range.begin < range.end)
      sorted_.push_back(
          {range.begin, range.end, static_cast<std::int32_t>(&range - ranges.data())});
  std::ranges::sort(sorted_, {}, &Numbered::begin);
  if (!sorted_.empty()) end_ = sorted_.back().end;
  std::uint32_t range = 0;
  for (std::int64_t element = 0; element < end_; element += elements_of_block) {
    while (sorted_[range].end <= element) ++range;
    first_.push_back(range);
  }
}

std::int32_t RangeFinder::of(std::int64_t element) const {
  if (element >= end_) return -1;
  const Numbered* range = &sorted_[first_[static_cast<std::size_t>(element / elements_of_block)]];
  while (range->end <= element) ++range;
  return range->begin <= element ? range->number : -1;
}

std::vector<std::int64_t> RangeFinder::turns() const {
  std::vector<std::int64_t> all;
  for (std::size_t k = 1; k < sorted_.size(); ++k)
    if (sorted_[k].number < sorted_[k - 1].number) all.push_back(sorted_[k].begin);
  return all;
}

void ElementBits::add(std::int64_t element) {
  words_[word_of(element)].bits |= bit_of(element);
  empty_ = false;
}

void ElementBits::count() {
  std::int32_t before = 0;
  for (Word& word : words_) {
    word.before = before;
    before += std::popcount(word.bits);
  }
}

std::int32_t ElementBits::number_up_to(std::int64_t element) const {
  const Word& word = words_[word_of(element)];
  return word.before + std::popcount(word.bits << (per_word - 1 - element % per_word));
}

SlotFinder::SlotFinder(const core::Set& set, std::int64_t end, std::span<const AddedColumn> columns,
                       const core::Map* followed)
    : end_(end),
      columns_(columns.begin(), columns.end()),
      keys_(canonical_positions(set, followed, end)),
      turns_(end) {
  const core::Set& targets = *core::record_of(columns.front().map->to);
  for (const AddedColumn& c : columns)
    accesses_.push_back({c.map->map + c.column, c.map->dim, targets.rows()});
}

std::vector<SlotFinder::Span> SlotFinder::spans() const {
  std::vector<Span> all(is_noted_.size());
  for (std::int32_t element = 0; element < end_; ++element)
    for (const RowAccess& access : accesses_) {
      Span& span = all[static_cast<std::size_t>(access.row_of(element))];
      if (span.first < 0)
        span.first = element;
      else if (!keys_.empty() && key_of(element) < key_of(span.last))
        span.is_sorted = false;
      span.last = element;
    }
  return all;
}

void SlotFinder::note(std::span<const ExecutedRange> ranges) {
  for (const std::int64_t element : RangeFinder(ranges).turns()) turns_.add(element);
}

bool SlotFinder::find_rows() {
  if (keys_.empty() && turns_.empty()) return false;
  is_noted_.assign(static_cast<std::size_t>(accesses_.front().rows), 0);
  turns_.count();
  const std::vector<Span> all = spans();
  for (std::size_t row = 0; row < all.size(); ++row) {
    const Span& span = all[row];
    is_noted_[row] =
        span.first >= 0 && (!span.is_sorted || turns_.any_between(span.first, span.last));
  }
  return std::ranges::count(is_noted_, 1) > 0;
}

/// By elements.
std::vector<SlotFinder::Addition> SlotFinder::additions_to_noted_rows() const {
  std::vector<Addition> all;
  for (std::int64_t element = 0; element < end_; ++element)
    for (std::size_t k = 0; k < accesses_.size(); ++k) {
      const std::int64_t row = accesses_[k].row_of(element);
      if (is_noted_[static_cast<std::size_t>(row)] != 0)
        all.push_back({static_cast<std::int32_t>(row), static_cast<std::int32_t>(k),
                       static_cast<std::int32_t>(element)});
    }
  if (all.size() > std::numeric_limits<std::int32_t>::max())
    core::fail(ErrorCode::too_large,
               "too many slots: OP2_REPRODUCIBLE=on, more than 2^31 of one loop on a rank; declare "
               "the elements in an order of better locality, or use more ranks");
  return all;
}

void SlotFinder::collect() {
  const std::vector<Addition> additions = additions_to_noted_rows();
  auto by_row = core::invert<Contribution, std::int32_t>(is_noted_.size(), [&](const auto& add) {
    for (const Addition& a : additions) add(a.row, {key_of(a.element), a.column, a.element});
  });
  for (std::size_t row = 0; row < is_noted_.size(); ++row) {
    const std::int32_t first = by_row.first[row], count = by_row.first[row + 1] - first;
    if (is_noted_[row] != 0) rows_.push_back({static_cast<std::int32_t>(row), first, count, count});
  }
  contributions_ = std::move(by_row.values);
  for (const LateRow& row : rows_)
    std::sort(contributions_.begin() + row.first, contributions_.begin() + row.first + row.count);
}

/// How many of a row's first contributions are executed one after the other.
std::int32_t SlotFinder::direct_of(const LateRow& row, const RangeFinder& ranges) const {
  std::pair<std::int32_t, std::int32_t> before{-1, -1};  // range, element
  const std::span<const Contribution> all = contributions_of(row);
  for (std::int32_t k = 0; k < row.direct; ++k) {
    const std::int32_t element = all[static_cast<std::size_t>(k)].element;
    const std::pair now{ranges.of(element), element};
    if (now.first < 0) continue;
    if (now < before) return k;
    before = now;
  }
  return row.direct;
}

void SlotFinder::find_direct(std::span<const ExecutedRange> ranges) {
  const RangeFinder finder(ranges);
  for (LateRow& row : rows_) row.direct = direct_of(row, finder);
}

void SlotFinder::drop_direct_rows() {
  std::erase_if(rows_, [](const LateRow& row) { return row.direct == row.count; });
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
      const AddedColumn& column = columns_[static_cast<std::size_t>(c.column)];
      entries[column.map].push_back({c.element, column.column, slot++});
    }
  for (const AddedColumn& c : columns_) table.maps.try_emplace(c.map, *c.map, end_, entries[c.map]);
}

std::vector<std::int64_t> SlotFinder::last_units(std::span<const ExecutedRange> ranges) const {
  const RangeFinder finder(ranges);
  std::vector<std::int64_t> last;
  for (const LateRow& row : rows_) {
    std::int64_t& unit = last.emplace_back(-1);
    for (const Contribution& c : contributions_of(row))
      if (const std::int32_t range = finder.of(c.element); range >= 0)
        unit = std::max(unit, ranges[static_cast<std::size_t>(range)].unit);
  }
  return last;
}

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
  const std::vector<std::int64_t> unit = finder.last_units(execution.ranges);
  auto by_unit = core::invert<std::uint32_t, std::uint32_t>(
      static_cast<std::size_t>(execution.units), [&](const auto& add) {
        for (std::size_t row = 0; row < unit.size(); ++row)
          if (unit[row] >= 0) add(unit[row], static_cast<std::uint32_t>(row));
      });
  const auto boundary = by_unit.first.begin() + execution.interior_units;
  return {std::move(by_unit.values),
          {{by_unit.first.begin(), boundary + 1}, {boundary, by_unit.first.end()}}};
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
