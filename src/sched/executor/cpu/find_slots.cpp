// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cpu/find_slots.hpp>

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <map>
#include <ranges>
#include <utility>

#include <core/error.hpp>

namespace op2::sched {

namespace {

/// Of a finder of ranges.
constexpr std::int64_t elements_of_block = 64;

/// The element's place in the canonical order.
std::int64_t place_of(const core::Set& set, const core::Map* followed, std::int64_t element) {
  if (followed == nullptr) return set.canonical_position(element);
  const core::Set& targets = *core::record_of(followed->to);
  std::int64_t last = 0;
  for (int k = 0; k < followed->dim; ++k)
    last = std::max(last, targets.canonical_position(followed->map[element * followed->dim + k]));
  return last << 32 | set.global_index(element);
}

}  // namespace

std::vector<std::int64_t> canonical_places(const core::Set& set, const core::Map* followed,
                                           std::int64_t end) {
  if (followed == nullptr && set.global_indices.empty() && set.canonical_positions.empty())
    return {};
  std::int64_t before = std::numeric_limits<std::int64_t>::min();
  const auto follows = [&](std::int64_t element) {
    const std::int64_t last = std::exchange(before, place_of(set, followed, element));
    return last <= before;
  };
  const auto elements = std::views::iota(std::int64_t{0}, end);
  if (std::ranges::all_of(elements, follows)) return {};  // often; then without their memory
  std::vector<std::int64_t> places(static_cast<std::size_t>(end));
  for (const std::int64_t element : elements)
    places[static_cast<std::size_t>(element)] = place_of(set, followed, element);
  return places;
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
  words_[static_cast<std::size_t>(element / 64)].bits |= std::uint64_t{1} << element % 64;
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
  const Word& word = words_[static_cast<std::size_t>(element / 64)];
  return word.before + std::popcount(word.bits << (63 - element % 64));
}

SlotFinder::SlotFinder(const core::Set& set, std::int64_t end, std::span<const AddedColumn> columns,
                       const core::Map* followed)
    : end_(end),
      columns_(columns.begin(), columns.end()),
      keys_(canonical_places(set, followed, end)),
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
  std::vector<std::int32_t> next(is_noted_.size(), 0);  // contribution of a row
  for (const Addition& one : additions) ++next[static_cast<std::size_t>(one.row)];
  std::int32_t first = 0;
  for (std::size_t row = 0; row < next.size(); ++row) {
    const std::int32_t count = std::exchange(next[row], first);
    if (is_noted_[row] != 0) rows_.push_back({static_cast<std::int32_t>(row), first, count, count});
    first += count;
  }
  contributions_.resize(additions.size());
  for (const Addition& one : additions)
    contributions_[static_cast<std::size_t>(next[static_cast<std::size_t>(one.row)]++)] = {
        key_of(one.element), one.column, one.element};
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

}  // namespace op2::sched
