// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/payload.hpp>

#include <cstring>
#include <limits>
#include <vector>

#include <core/value_type.hpp>

namespace op2::sched {
namespace {

/// Memory whose change shows that an element has set a payload: its value, or its extreme.
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
    if (!payload.shape.is_payload()) continue;
    std::byte* element = bindings.partial(payload, 0) + payload.element;
    list.push_back({value_of(payload), element, {}});
    for (const GlobalArg& extreme : step.reductions)
      if (static_cast<int>(extreme.arg) == payload.shape.info_of)
        list.push_back({value_of(extreme), element, {}});
  }
  return list;
}

std::int64_t element_of(const StepBindings& bindings, const GlobalArg& payload, int thread) {
  std::int64_t element = no_element;
  std::memcpy(&element, bindings.partial(payload, thread) + payload.element, sizeof element);
  return element;
}

/// Whether a thread's candidate replaces that of the first. An element that equals the value from
/// before the loop has not replaced it, so its thread has no element either.
bool is_better(const StepBindings& bindings, const GlobalArg& extreme, const GlobalArg& payload,
               int thread) {
  return core::with_type(extreme.shape.type, [&]<class T>() {
    T other, best;
    std::memcpy(&other, bindings.partial(extreme, thread), sizeof other);
    std::memcpy(&best, bindings.partial(extreme, 0), sizeof best);
    const bool is_least = extreme.shape.access == OP_MIN;
    if (is_least ? other < best : best < other) return true;
    return other == best &&
           element_of(bindings, payload, thread) < element_of(bindings, payload, 0);
  });
}

/// The payloads of an extreme that elements set in any order.
std::vector<const GlobalArg*> payloads_of(const Step& step, const GlobalArg& extreme) {
  std::vector<const GlobalArg*> payloads;
  for (const GlobalArg& global : step.reductions)
    if (global.shape.any_order && global.shape.info_of == static_cast<int>(extreme.arg))
      payloads.push_back(&global);
  return payloads;
}

constexpr std::int64_t cannot_win = std::numeric_limits<std::int64_t>::max();

bool has_best_extreme(const Payload& payload) {
  return core::with_type(payload.extreme->type, [&]<class T>() {
    T own, best;
    std::memcpy(&own, payload.own_extreme, sizeof own);
    std::memcpy(&best, payload.best_extreme, sizeof best);
    return own == best;
  });
}

/// The rank with the least key wins; the keys of ranks that can win are distinct.
std::int64_t key_of(const Payload& payload) {
  if (payload.element == no_element) return cannot_win;
  if (payload.extreme == nullptr) return -payload.element;
  return has_best_extreme(payload) ? payload.element : cannot_win;
}

std::size_t words_of(const Payload& payload) {
  return (payload.bytes + sizeof(std::int64_t) - 1) / sizeof(std::int64_t);
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
      const std::int64_t element = global_index[row];
      for (const Watched& each : list)
        if (std::memcmp(each.before.data(), each.value.data(), each.before.size()) != 0)
          std::memcpy(each.element, &element, sizeof element);
    }
}

void fold_candidates(const Step& step, const StepBindings& bindings) {
  for (const GlobalArg& extreme : step.reductions) {
    const std::vector<const GlobalArg*> payloads = payloads_of(step, extreme);
    if (payloads.empty()) continue;
    for (int thread = 1; thread < bindings.threads; ++thread) {
      if (!is_better(bindings, extreme, *payloads.front(), thread)) continue;
      std::memcpy(bindings.partial(extreme, 0), bindings.partial(extreme, thread),
                  core::size_of(extreme.shape.type));
      for (const GlobalArg* payload : payloads)
        std::memcpy(bindings.partial(*payload, 0), bindings.partial(*payload, thread),
                    payload->element + sizeof(std::int64_t));
    }
  }
}

void choose_payloads(comm::Communicator& communicator, std::span<const Payload> payloads) {
  comm::WordReduction keys, values;
  for (const Payload& payload : payloads) keys.minima.push_back(key_of(payload));
  communicator.reduce(keys, "choosing payloads");
  for (std::size_t k = 0; k < payloads.size(); ++k) {
    const Payload& payload = payloads[k];
    const bool no_winner = keys.minima[k] == cannot_win;
    const bool wins = no_winner ? communicator.is_root() : keys.minima[k] == key_of(payload);
    const std::size_t begin = values.sums.size();
    values.sums.resize(begin + words_of(payload), 0);  // the winner's bytes; zeros of other ranks
    if (wins)
      std::memcpy(&values.sums[begin], no_winner ? payload.value : payload.found, payload.bytes);
  }
  communicator.reduce(values, "taking payloads");
  const std::int64_t* word = values.sums.data();
  for (const Payload& payload : payloads) {
    std::memcpy(payload.value, word, payload.bytes);
    word += words_of(payload);
  }
}

}  // namespace op2::sched
