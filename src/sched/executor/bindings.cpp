// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/bindings.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>

#include <core/exact_sum.hpp>
#include <core/value_type.hpp>
#include <sched/reductions.hpp>

namespace op2::sched {
namespace {

core::ArgBinding bind_arg(const core::Set& set, const core::LoopArg& arg) {
  core::ArgBinding binding{nullptr, nullptr, 0};
  if (!arg.active) return binding;
  if (arg.dat != nullptr) binding.base = arg.dat->rows.host_address();
  if (arg.map != nullptr) {
    binding.index = arg.map->map + arg.column;
    binding.index_stride = arg.map->dim;
  }
  const core::Set& numbered = arg.map != nullptr ? *core::record_of(arg.map->to) : set;
  if (arg.kind == OP_ARG_IDX && !numbered.global_indices.empty())
    binding.base = const_cast<std::int32_t*>(numbered.global_indices.data());
  return binding;
}

}  // namespace

StepBindings bind(const Step& step, int threads, bool some_do_not_count,
                  std::span<const core::ArgBinding> slotted) {
  const int sets = some_do_not_count ? 2 * threads : threads;
  StepBindings bindings{.threads = threads,
                        .sets = sets,
                        .args = {},
                        .blocks = core::allocate_zeroed(step.block_bytes * sets),
                        .block_bytes = step.block_bytes,
                        .arg_count = step.args.size() + slotted.size()};
  for (int set = 0; set < bindings.sets; ++set) {
    const std::size_t first = bindings.args.size();
    for (const core::LoopArg& arg : step.args) bindings.args.push_back(bind_arg(*step.set, arg));
    bindings.args.insert(bindings.args.end(), slotted.begin(), slotted.end());
    for (const GlobalArg& reduction : step.reductions) {
      core::ArgBinding& bound = bindings.args[first + reduction.arg];
      bound.base = bindings.partial(reduction, set);
      if (reduction.shape.any_order && !step.set->global_indices.empty())
        bound.index = step.set->global_indices.data();
    }
  }
  return bindings;
}

const void* value_seen(const GlobalArg& global, core::Queue& queue) {
  if (global.assignment >= 0) return queue.captured(queue.records()[global.assignment].captured);
  if (global.shape.global != nullptr) {
    if (global.shape.global->partial_is_exact) settle(*global.shape.global);
    return global.shape.global->value.host_read();
  }
  const core::ArgValue& value = global.source.value_in(queue);
  return global.shape.modifies() ? value.user : queue.captured(value.captured);
}

void bind_globals(const Step& step, core::Queue& queue, StepBindings& bindings) {
  bindings.running = RunningStep(step, queue);
  for (int set = 0; set < bindings.sets; ++set) {
    core::ArgBinding* args = bindings.args.data() + set * bindings.arg_count;
    for (const GlobalArg& global : step.reads)
      args[global.arg].base = const_cast<void*>(value_seen(global, queue));
    for (const GlobalArg& reduction : step.reductions) {
      std::byte* partial = bindings.partial(reduction, set);
      if (reduction.exact) {
        core::start_terms(partial, reduction.shape.type, reduction.shape.dim);
        continue;
      }
      start_partial(reduction.shape, value_seen(reduction, queue), partial);
      if (reduction.shape.is_payload())
        std::memcpy(partial + reduction.element, &no_element, sizeof no_element);
    }
  }
}

void fold_threads(const Step& step, const StepBindings& bindings) {
  if (bindings.threads == 1) return;
  fold_candidates(step, bindings);
  for (const GlobalArg& reduction : step.reductions) {
    if (reduction.shape.is_payload() || has_candidates(step, reduction)) continue;
    for (int thread = 1; thread < bindings.threads; ++thread) {
      std::byte* const from = bindings.partial(reduction, thread);
      std::byte* const into = bindings.partial(reduction, 0);
      if (reduction.exact)
        core::merge_terms(from, into);
      else
        fold_partial(reduction.shape, from, into, reduction.nan);
    }
  }
}

void run_assignment(const core::LoopRecord& record, core::Queue& queue) {
  record.target->has_partial = false;
  record.target->partial_is_exact = false;
  std::memcpy(record.target->value.host_overwrite().get(), queue.captured(record.captured),
              record.target->value.bytes());
}

namespace {

/// Memory whose change shows that an element has set a payload: its value, or its extreme.
struct Watched {
  std::span<std::byte> value;
  std::byte* element;
  bool written;  ///< OP_WRITE: elements may also set it to the value that it has
  std::vector<std::byte> before{};
  bool is_set = false;  ///< by the element that has run

  void remember() { before.assign(value.begin(), value.end()); }
  void compare() { is_set = std::memcmp(before.data(), value.data(), value.size()) != 0; }
};

std::vector<Watched> watched_by(const Step& step, const StepBindings& bindings) {
  const auto value_of = [&](const GlobalArg& global) {
    return std::span(bindings.partial(global, 0),
                     core::size_of(global.shape.type, global.shape.dim));
  };
  std::vector<Watched> list;
  for (const GlobalArg& payload : step.reductions) {
    if (!payload.shape.is_payload()) continue;
    std::byte* element = bindings.partial(payload, 0) + payload.element;
    list.push_back({value_of(payload), element, payload.shape.info_of < 0});
    for (const GlobalArg& extreme : step.reductions)
      if (static_cast<int>(extreme.arg) == payload.shape.info_of)
        list.push_back({value_of(extreme), element, false});
  }
  return list;
}

/// All memory of a step that its first thread modifies when it executes an element: its partial
/// results, and rows.
class Modified {
 public:
  Modified(const Step& step, const StepBindings& bindings, std::int64_t row)
      : all_{{bindings.blocks.get(), bindings.block_bytes}} {
    const core::ArgBinding* bound = bindings.args_of(0, true);
    for (std::size_t k = 0; k < step.args.size(); ++k) {
      const core::LoopArg& arg = step.args[k];
      if (!arg.modifies_dat()) continue;
      const std::int64_t of = arg.is_indirect() ? bound[k].index[row * bound[k].index_stride] : row;
      const auto bytes = static_cast<std::size_t>(arg.dat->size);
      all_.push_back({static_cast<std::byte*>(bound[k].base) + of * arg.dat->size, bytes});
    }
  }

  std::vector<std::byte> copy() const {
    std::vector<std::byte> bytes;
    for (const auto& one : all_) bytes.insert(bytes.end(), one.begin(), one.end());
    return bytes;
  }
  void restore(const std::vector<std::byte>& bytes) const {
    auto from = bytes.begin();
    for (const auto& one : all_) {
      std::copy_n(from, one.size(), one.begin());
      from += std::ssize(one);
    }
  }

 private:
  std::vector<std::span<std::byte>> all_;
};

/// The bindings of the first thread with which all increments go to rows, none to slots.
std::vector<core::ArgBinding> without_slots(const Step& step, const StepBindings& bindings) {
  const core::ArgBinding* const bound = bindings.args_of(0, true);
  std::vector<core::ArgBinding> all(bound, bound + bindings.arg_count);
  for (std::size_t k = step.args.size(); k < all.size(); ++k) all[k].index = nullptr;
  return all;
}

/// Runs an element and finds out what it has set.
void run_watched(std::vector<Watched>& list, const std::function<void()>& run) {
  for (Watched& watched : list) watched.remember();
  run();
  for (Watched& watched : list) watched.compare();
}

/// The same where elements may set values to what they were: executes the element once more, with
/// other bytes in the values that have not changed, and undoes all that this modifies.
/// @param again  executes it with all increments going to rows
void run_watched_twice(std::vector<Watched>& list, const Modified& memory,
                       const std::function<void()>& run, const std::function<void()>& again) {
  const std::vector<std::byte> before = memory.copy();
  run_watched(list, run);
  std::vector<Watched*> unchanged;
  for (Watched& watched : list)
    if (watched.written && !watched.is_set) unchanged.push_back(&watched);
  if (unchanged.empty()) return;
  const std::vector<std::byte> after = memory.copy();
  memory.restore(before);
  for (Watched* watched : unchanged) {
    for (std::byte& byte : watched->value) byte = ~byte;
    watched->remember();
  }
  again();
  for (Watched* watched : unchanged) watched->compare();
  memory.restore(after);
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
    const T low = is_least ? other : best, high = is_least ? best : other;
    if (low < high) return true;
    // As generated code compares.
    const bool zeros_differ = extreme.nan == comm::Nan::wins;
    if (zeros_differ && is_less(low, high)) return true;
    return other == best && !(zeros_differ && is_less(high, low)) &&
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

/// Bit by bit: ranks take -0 for less than 0.
bool has_best_extreme(const Payload& payload) {
  return std::memcmp(payload.own_extreme, payload.best_extreme,
                     core::size_of(payload.extreme->type)) == 0;
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
                   std::span<const std::int32_t> global_index, const RunRow& run_one) {
  std::vector<Watched> list = watched_by(step, bindings);
  const bool writes = std::ranges::any_of(list, &Watched::written);
  const auto to_rows = writes ? without_slots(step, bindings) : std::vector<core::ArgBinding>();
  for (const IndexRange& range : rows)
    for (std::int64_t row = range.begin; row < range.end; ++row) {
      const auto run = [&] { run_one(row, bindings.args_of(0, true)); };
      const auto again = [&] { run_one(row, to_rows.data()); };
      if (writes)
        run_watched_twice(list, Modified(step, bindings, row), run, again);
      else
        run_watched(list, run);
      const std::int64_t index = global_index[row];
      for (const Watched& watched : list)
        if (watched.is_set) std::memcpy(watched.element, &index, sizeof index);
    }
}

bool has_candidates(const Step& step, const GlobalArg& extreme) {
  return !payloads_of(step, extreme).empty();
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
