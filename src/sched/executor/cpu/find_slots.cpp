// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cpu/find_slots.hpp>

#include <algorithm>
#include <limits>

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
  for (const ExecutedRange& range : ranges)
    for (std::int64_t element = range.begin; element < range.end; ++element) {
      const std::int64_t key = key_of(element);
      for (const RowAccess& access : accesses_) {
        const auto row = static_cast<std::size_t>(access.row_of(element));
        if (last_key_[row] > key) {
          is_slotted_[row] = 1;
          any_ = true;
        }
        last_key_[row] = key;
      }
    }
}

/// The rows with their numbers of slots, and where these begin.
std::vector<SlottedRow> SlotFinder::count_rows() const {
  std::vector<std::int32_t> count(is_slotted_.size(), 0);
  for (const RowAccess& access : accesses_)
    for (std::int64_t element = 0; element < end_; ++element) ++count[access.row_of(element)];
  std::vector<SlottedRow> rows;
  std::int64_t first = 0;
  for (std::size_t row = 0; row < count.size(); ++row) {
    if (is_slotted_[row] == 0) continue;
    rows.push_back({static_cast<std::int32_t>(row), static_cast<std::int32_t>(first), count[row]});
    first += count[row];
    if (first > std::numeric_limits<std::int32_t>::max())
      core::fail(
          ErrorCode::too_large,
          "too many slots: OP2_REPRODUCIBLE=on, more than 2^31 of one loop on a rank; declare "
          "the elements in an order of better locality, or use more ranks");
  }
  return rows;
}

void SlotFinder::assign(SlotTable& table) const {
  table.rows = count_rows();
  table.slots = table.rows.back().first + table.rows.back().count;
  std::vector<std::int32_t> next(is_slotted_.size(), 0);  // slot of a row
  for (const SlottedRow& row : table.rows) next[row.row] = row.first;
  std::vector<Contribution> all(static_cast<std::size_t>(table.slots));
  for (std::int64_t element = 0; element < end_; ++element)
    for (std::size_t k = 0; k < accesses_.size(); ++k) {
      const auto row = static_cast<std::size_t>(accesses_[k].row_of(element));
      if (is_slotted_[row] != 0)
        all[static_cast<std::size_t>(next[row]++)] = {key_of(element), static_cast<std::int32_t>(k),
                                                      static_cast<std::int32_t>(element)};
    }
  table.elements.reserve(all.size());
  for (const AddedColumn& c : columns_)
    table.targets[c.map].assign(c.map->map, c.map->map + end_ * c.map->dim);
  for (const SlottedRow& row : table.rows) {
    const auto begin = all.begin() + row.first;
    std::sort(begin, begin + row.count);
    for (std::int32_t slot = row.first; slot < row.first + row.count; ++slot) {
      const Contribution& c = all[static_cast<std::size_t>(slot)];
      table.elements.push_back(c.element);
      const AddedColumn& column = columns_[static_cast<std::size_t>(c.column)];
      table.targets[column.map][static_cast<std::size_t>(c.element) *
                                    static_cast<std::size_t>(column.map->dim) +
                                static_cast<std::size_t>(column.column)] = slot - table.slots;
    }
  }
}

}  // namespace op2::sched
