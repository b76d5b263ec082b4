// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/payload.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

#include <core/value_type.hpp>

namespace op2::sched {
namespace {

/// Memory that shows whether an element has set a payload: its value, or what it belongs to.
struct Watched {
  std::span<const std::byte> value;
  std::byte* element;
  std::vector<std::byte> before;
};

std::vector<Watched> watched(const Step& step, const StepBindings& bindings) {
  const auto value_of = [&](const GlobalArg& global) {
    return std::span<const std::byte>(bindings.partial(global, 0),
                                      core::size_of(global.shape.type, global.shape.dim));
  };
  std::vector<Watched> list;
  for (const GlobalArg& payload : step.reductions) {
    if (!payload.shape.is_set_by_one()) continue;
    std::byte* element = bindings.partial(payload, 0) + payload.element;
    list.push_back({value_of(payload), element, {}});
    for (const GlobalArg& extreme : step.reductions)
      if (static_cast<int>(extreme.arg) == payload.shape.info_of)
        list.push_back({value_of(extreme), element, {}});
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
  if (extreme == nullptr) return a.element > b.element;
  const int order = compare(*extreme, a.extreme, b.extreme);
  return order < 0 || (order == 0 && a.element < b.element);
}

}  // namespace

void run_and_track(const Step& step, const StepBindings& bindings, const IndexRanges& rows,
                   std::span<const std::int32_t> global_index,
                   const std::function<void(std::int64_t row)>& run_one) {
  std::vector<Watched> list = watched(step, bindings);
  for (const IndexRange& range : rows)
    for (std::int64_t row = range.begin; row < range.end; ++row) {
      for (Watched& each : list) each.before.assign(each.value.begin(), each.value.end());
      run_one(row);
      const std::int64_t element = global_index[static_cast<std::size_t>(row)];
      for (const Watched& each : list)
        if (std::memcmp(each.before.data(), each.value.data(), each.before.size()) != 0)
          std::memcpy(each.element, &element, sizeof element);
    }
}

int winner_of(std::span<const Found> ranks, const core::LoopArg* extreme) {
  const Found* winner = nullptr;
  for (const Found& rank : ranks)
    if (rank.element != no_element && (winner == nullptr || is_better(rank, *winner, extreme)))
      winner = &rank;
  if (winner == nullptr) return -1;
  const auto beats_winner = [&](const Found& rank) {
    return rank.element == no_element && compare(*extreme, rank.extreme, winner->extreme) < 0;
  };
  if (extreme != nullptr && std::ranges::any_of(ranks, beats_winner)) return -1;
  return static_cast<int>(winner - ranks.data());
}

}  // namespace op2::sched
