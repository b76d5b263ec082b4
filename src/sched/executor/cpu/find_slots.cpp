// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cpu/find_slots.hpp>

#include <algorithm>

namespace op2::sched {

namespace {

std::int64_t number_at(std::span<const std::int32_t> numbers, std::int64_t row) {
  return numbers.empty() ? row : numbers[static_cast<std::size_t>(row)];
}

}  // namespace

SlotFinder::SlotFinder(const core::Set& set, std::span<const AddedColumn> columns,
                       const core::Map* followed)
    : numbers_(set.numbers), followed_(followed), columns_(columns.begin(), columns.end()) {
  if (followed != nullptr) followed_numbers_ = core::record_of(followed->to)->numbers;
  const core::Set& targets = *core::record_of(columns.front().map->to);
  for (const AddedColumn& c : columns)
    accesses_.push_back({c.map->map + c.column, c.map->dim, targets.rows()});
  last_key_.assign(static_cast<std::size_t>(targets.rows()), before_all);
  is_slotted_.assign(last_key_.size(), 0);
}

/// The element's place in the canonical order.
std::int64_t SlotFinder::key_of(std::int64_t element) const {
  const std::int64_t number = number_at(numbers_, element);
  if (followed_ == nullptr) return number;
  std::int64_t last = 0;
  for (int k = 0; k < followed_->dim; ++k)
    last =
        std::max(last, number_at(followed_numbers_, followed_->map[element * followed_->dim + k]));
  return last << 32 | number;
}

void SlotFinder::begin_step() {
  if (end_ > 0) std::ranges::fill(last_key_, before_all);
}

void SlotFinder::visit(std::int64_t begin, std::int64_t end) {
  end_ = std::max(end_, end);
  for (std::int64_t element = begin; element < end; ++element) {
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
  std::int32_t first = 0;
  for (std::size_t row = 0; row < count.size(); ++row) {
    if (is_slotted_[row] == 0) continue;
    rows.push_back({static_cast<std::int32_t>(row), first, count[row]});
    first += count[row];
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
  for (const AddedColumn& c : columns_)
    table.targets[c.map].assign(c.map->map, c.map->map + end_ * c.map->dim);
  for (const SlottedRow& row : table.rows) {
    const auto begin = all.begin() + row.first;
    std::sort(begin, begin + row.count);
    for (std::int32_t slot = row.first; slot < row.first + row.count; ++slot) {
      const Contribution& c = all[static_cast<std::size_t>(slot)];
      const AddedColumn& column = columns_[static_cast<std::size_t>(c.column)];
      table.targets[column.map][static_cast<std::size_t>(c.element) *
                                    static_cast<std::size_t>(column.map->dim) +
                                static_cast<std::size_t>(column.column)] = -1 - slot;
    }
  }
}

}  // namespace op2::sched
