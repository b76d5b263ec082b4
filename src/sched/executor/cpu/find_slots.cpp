// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cpu/find_slots.hpp>

#include <algorithm>
#include <limits>
#include <map>

#include <core/error.hpp>

namespace op2::sched {

namespace {

constexpr std::int64_t before_all = std::numeric_limits<std::int64_t>::min();

/// The element's place in the canonical order.
std::int64_t place_of(const core::Set& set, const core::Map* followed, std::int64_t element) {
  if (followed == nullptr) return set.place_at(element);
  const core::Set& targets = *core::record_of(followed->to);
  std::int64_t last = 0;
  for (int k = 0; k < followed->dim; ++k)
    last = std::max(last, targets.place_at(followed->map[element * followed->dim + k]));
  return last << 32 | set.element_at(element);
}

bool are_ascending(std::span<const ExecutedRange> ranges) {
  return std::ranges::is_sorted(ranges, {}, &ExecutedRange::begin);
}

}  // namespace

std::vector<std::int64_t> canonical_places(const core::Set& set, const core::Map* followed,
                                           std::int64_t end) {
  if (followed == nullptr && set.numbers.empty() && set.places.empty()) return {};
  std::vector<std::int64_t> places(static_cast<std::size_t>(end));
  for (std::int64_t element = 0; element < end; ++element)
    places[static_cast<std::size_t>(element)] = place_of(set, followed, element);
  if (std::ranges::is_sorted(places)) places.clear();
  return places;
}

SlotFinder::SlotFinder(const core::Set& set, std::int64_t end, std::span<const AddedColumn> columns,
                       const core::Map* followed)
    : end_(end),
      columns_(columns.begin(), columns.end()),
      keys_(canonical_places(set, followed, end)) {
  const core::Set& targets = *core::record_of(columns.front().map->to);
  for (const AddedColumn& c : columns)
    accesses_.push_back({c.map->map + c.column, c.map->dim, targets.rows()});
  is_slotted_.assign(static_cast<std::size_t>(targets.rows()), 0);
}

void SlotFinder::visit(std::span<const ExecutedRange> ranges) {
  if (keys_.empty() && are_ascending(ranges)) return;
  last_key_.assign(is_slotted_.size(), before_all);
  std::int64_t* const last = last_key_.data();
  for (const ExecutedRange& range : ranges)
    for (std::int64_t element = range.begin; element < range.end; ++element) {
      const std::int64_t key = key_of(element);
      for (const RowAccess& access : accesses_) {
        const std::int64_t row = access.row_of(element);
        if (last[row] > key) note_slotted(row);
        last[row] = key;
      }
    }
}

void SlotFinder::note_slotted(std::int64_t row) {
  is_slotted_[static_cast<std::size_t>(row)] = 1;
  any_ = true;
}

/// By elements.
std::vector<SlotFinder::Addition> SlotFinder::additions_to_slots() const {
  std::vector<Addition> all;
  for (std::int64_t element = 0; element < end_; ++element)
    for (std::size_t k = 0; k < accesses_.size(); ++k) {
      const std::int64_t row = accesses_[k].row_of(element);
      if (is_slotted_[static_cast<std::size_t>(row)] != 0)
        all.push_back({static_cast<std::int32_t>(row), static_cast<std::int32_t>(k),
                       static_cast<std::int32_t>(element)});
    }
  return all;
}

/// The rows with their numbers of slots, and where these begin.
std::vector<SlottedRow> SlotFinder::count_rows(std::span<const Addition> additions) const {
  if (additions.size() > std::numeric_limits<std::int32_t>::max())
    core::fail(ErrorCode::too_large,
               "too many slots: OP2_REPRODUCIBLE=on, more than 2^31 of one loop on a rank; declare "
               "the elements in an order of better locality, or use more ranks");
  std::vector<std::int32_t> count(is_slotted_.size(), 0);
  for (const Addition& one : additions) ++count[static_cast<std::size_t>(one.row)];
  std::vector<SlottedRow> rows;
  std::int32_t first = 0;
  for (std::size_t row = 0; row < count.size(); ++row) {
    if (is_slotted_[row] == 0) continue;
    rows.push_back({static_cast<std::int32_t>(row), first, count[row]});
    first += count[row];
  }
  return rows;
}

void SlotFinder::assign(SlotTable& table) const {
  const std::vector<Addition> additions = additions_to_slots();
  table.rows = count_rows(additions);
  table.slots = static_cast<std::int32_t>(additions.size());
  std::vector<std::int32_t> next(is_slotted_.size(), 0);  // slot of a row
  for (const SlottedRow& row : table.rows) next[static_cast<std::size_t>(row.row)] = row.first;
  std::vector<Contribution> all(additions.size());
  for (const Addition& one : additions)
    all[static_cast<std::size_t>(next[static_cast<std::size_t>(one.row)]++)] = {
        key_of(one.element), one.column, one.element};
  for (const SlottedRow& row : table.rows)
    std::sort(all.begin() + row.first, all.begin() + row.first + row.count);
  table.elements.reserve(all.size());
  for (const Contribution& c : all) table.elements.push_back(c.element);
  add_maps(all, table);
}

/// @param all  of each slot
void SlotFinder::add_maps(std::span<const Contribution> all, SlotTable& table) const {
  std::map<const core::Map*, std::vector<SlotEntry>> entries;
  std::int32_t slot = -table.slots;
  for (const Contribution& c : all) {
    const AddedColumn& column = columns_[static_cast<std::size_t>(c.column)];
    entries[column.map].push_back({c.element, column.column, slot++});
  }
  for (const AddedColumn& c : columns_) table.maps.try_emplace(c.map, *c.map, end_, entries[c.map]);
}

}  // namespace op2::sched
