// SPDX-License-Identifier: BSD-3-Clause
#include <sched/set_by_one.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

#include <core/value_type.hpp>

namespace op2::sched {
namespace {

/// Memory that shows whether an element has set a global: its value, or what it belongs to.
struct Watched {
  std::span<const std::byte> value;
  std::int64_t* mark;
  std::vector<std::byte> before;
};

std::span<const std::byte> value_of(const LoopStep& step, const GlobalSlot& slot) {
  return {step.partial(slot, 0), core::size_of(slot.shape.type, slot.shape.dim)};
}

std::vector<Watched> watched(const LoopStep& step) {
  std::vector<Watched> list;
  for (const GlobalSlot& slot : step.reductions) {
    if (!slot.shape.is_set_by_one()) continue;
    auto* mark = reinterpret_cast<std::int64_t*>(step.partial(slot, 0) + slot.mark);
    list.push_back({value_of(step, slot), mark, {}});
    for (const GlobalSlot& other : step.reductions)
      if (static_cast<int>(other.arg) == slot.shape.info_of)
        list.push_back({value_of(step, other), mark, {}});
  }
  return list;
}

/// -1, 0 or 1: whether `a` is better than, as good as, or worse than `b`.
int compare(const core::LoopArg& extreme, const std::byte* a, const std::byte* b) {
  int order = 0;
  core::with_type(extreme.type, [&]<class T>() {
    T first, second;
    std::memcpy(&first, a, sizeof first);
    std::memcpy(&second, b, sizeof second);
    if (extreme.access == OP_MAX) std::swap(first, second);
    order = first < second ? -1 : second < first ? 1 : 0;
  });
  return order;
}

bool is_better(const Found& a, const Found& b, const core::LoopArg* extreme) {
  if (extreme == nullptr) return a.mark > b.mark;
  const int order = compare(*extreme, a.extreme, b.extreme);
  return order < 0 || (order == 0 && a.mark < b.mark);
}

}  // namespace

void run_and_mark(const LoopStep& step, const LoopPart& part, std::span<const std::int32_t> numbers,
                  const std::function<void(std::int64_t row)>& run_one) {
  std::vector<Watched> list = watched(step);
  for (const auto& phase : part.shares->phases)
    for (const Range& rows : phase.front())
      for (std::int64_t row = rows.begin; row < rows.end; ++row) {
        for (Watched& each : list) each.before.assign(each.value.begin(), each.value.end());
        run_one(row);
        for (const Watched& each : list)
          if (std::memcmp(each.before.data(), each.value.data(), each.before.size()) != 0)
            *each.mark = numbers[static_cast<std::size_t>(row)];
      }
}

int winner_of(std::span<const Found> ranks, const core::LoopArg* extreme) {
  const Found* winner = nullptr;
  for (const Found& rank : ranks)
    if (rank.mark != no_element && (winner == nullptr || is_better(rank, *winner, extreme)))
      winner = &rank;
  if (winner == nullptr) return -1;
  const auto beats_winner = [&](const Found& rank) {
    return rank.mark == no_element && compare(*extreme, rank.extreme, winner->extreme) < 0;
  };
  if (extreme != nullptr && std::ranges::any_of(ranks, beats_winner)) return -1;
  return static_cast<int>(winner - ranks.data());
}

}  // namespace op2::sched
