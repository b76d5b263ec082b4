// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cpu/slotted_map.hpp>

#include <algorithm>
#include <bit>

#include <core/arithmetic.hpp>

namespace op2::sched {
namespace {

constexpr std::int64_t per_word = 64;

std::size_t word_of(std::int64_t element) {
  return static_cast<std::size_t>(element / per_word);
}

std::uint64_t bit_of(std::int64_t element) {
  return std::uint64_t{1} << element % per_word;
}

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
    targets_[place_of(entry.element) + static_cast<std::size_t>(entry.column)] = entry.target;
}

/// Of an element that is stored: where its entries begin.
std::size_t SlottedMap::place_of(std::int64_t element) const {
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

}  // namespace op2::sched
