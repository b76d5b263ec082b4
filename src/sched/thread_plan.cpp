// SPDX-License-Identifier: BSD-3-Clause
#include <sched/thread_plan.hpp>

#include <algorithm>
#include <map>
#include <numeric>

namespace op2::sched {
namespace {

using Phase = std::vector<RunList>;

std::int64_t row_of(const Touch& touch, std::int64_t element) {
  return touch.index ? touch.index[element * touch.stride] : element;
}

/// First element of slab `slab` when `size` elements are cut into `slabs` slabs.
std::int64_t slab_begin(std::int64_t size, int slabs, int slab) {
  return size * slab / slabs;
}

/// Finds the slabs that one touch reaches: at once while they stay the same, else by a division.
class SlabFinder {
 public:
  SlabFinder(const Touch& touch, int slabs) : touch_(touch), slabs_(slabs) {}

  int slab_at(std::int64_t element) {
    const std::int64_t row = row_of(touch_, element);
    if (row < begin_ || row >= end_) move_to(row);
    return slab_;
  }

 private:
  /// Solves slab_begin(slab) <= row < slab_begin(slab + 1).
  void move_to(std::int64_t row) {
    slab_ = static_cast<int>(((row + 1) * slabs_ - 1) / touch_.target_size);
    begin_ = slab_begin(touch_.target_size, slabs_, slab_);
    end_ = slab_begin(touch_.target_size, slabs_, slab_ + 1);
  }

  Touch touch_;
  int slabs_;
  int slab_ = 0;
  std::int64_t begin_ = 0, end_ = 0;
};

void append(RunList& runs, std::int64_t element) {
  if (!runs.empty() && runs.back().end == element)
    ++runs.back().end;
  else
    runs.push_back({element, element + 1});
}

/// The slabs that one iteration touches.
struct Slabs {
  int low, high;  ///< the lowest and the highest
  bool others;    ///< there are some between
};

Slabs slabs_touched(std::int64_t element, std::span<SlabFinder> finders) {
  const int first = finders.front().slab_at(element);
  Slabs slabs{first, first, false};
  for (SlabFinder& finder : finders.subspan(1)) {
    const int slab = finder.slab_at(element);
    if (slab == slabs.low || slab == slabs.high) continue;
    slabs.others = slabs.others || slabs.low < slabs.high;
    slabs.low = std::min(slabs.low, slab);
    slabs.high = std::max(slabs.high, slab);
  }
  return slabs;
}

/// Assigns pairs of slabs to rounds: the first round in which both are free, in order of
/// appearance. No more than 2 * threads - 3 rounds; two or three where only neighbouring slabs
/// share rows.
class Rounds {
 public:
  explicit Rounds(int threads) : threads_(threads) {}

  /// What the pair's thread, the lower slab's, runs.
  RunList& of(int low, int high) {
    const auto [place, fresh] = round_.try_emplace({low, high}, 0);
    if (fresh) place->second = first_free(low, high);
    return rounds_[place->second][low];
  }

  std::vector<Phase> take() { return std::move(rounds_); }

 private:
  std::size_t first_free(int low, int high) {
    std::size_t round = 0;
    while (round < busy_.size() && (busy_[round][low] || busy_[round][high])) ++round;
    if (round == busy_.size()) {
      busy_.emplace_back(threads_, false);
      rounds_.emplace_back(threads_);
    }
    busy_[round][low] = busy_[round][high] = true;
    return round;
  }

  int threads_;
  std::map<std::pair<int, int>, std::size_t> round_;
  std::vector<std::vector<bool>> busy_;  ///< [round][slab]
  std::vector<Phase> rounds_;
};

bool has_work(const Phase& phase) {
  return std::any_of(phase.begin(), phase.end(), [](const RunList& runs) { return !runs.empty(); });
}

ThreadPlan cut_evenly(Range rows, int threads) {
  Phase phase(threads);
  const std::int64_t size = rows.end - rows.begin;
  for (int thread = 0; thread < threads; ++thread) {
    const Range range{rows.begin + slab_begin(size, threads, thread),
                      rows.begin + slab_begin(size, threads, thread + 1)};
    if (range.begin < range.end) phase[thread].push_back(range);
  }
  return {{std::move(phase)}};
}

std::int64_t iterations(const RunList& runs) {
  std::int64_t sum = 0;
  for (const Range& range : runs) sum += range.end - range.begin;
  return sum;
}

}  // namespace

ThreadPlan plan_in_order(Range rows, int threads) {
  if (rows.begin == rows.end) return {};
  Phase phase(threads);
  phase[0].push_back(rows);
  return {{std::move(phase)}};
}

ThreadPlan plan_by_number(std::span<const std::int32_t> numbers) {
  std::vector<std::int32_t> rows(numbers.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::ranges::sort(rows, {},
                    [&](std::int32_t row) { return numbers[static_cast<std::size_t>(row)]; });
  RunList runs;
  for (const std::int32_t row : rows) append(runs, row);
  return {{{std::move(runs)}}};
}

ThreadPlan plan_threads(Range rows, int threads, std::span<const Touch> touches) {
  if (rows.begin == rows.end || threads == 1) return plan_in_order(rows, threads);
  if (touches.empty()) return cut_evenly(rows, threads);

  std::vector<SlabFinder> finders;
  for (const Touch& touch : touches) finders.emplace_back(touch, threads);
  Phase inside(threads), last(threads);
  Rounds rounds(threads);
  for (std::int64_t element = rows.begin; element < rows.end; ++element) {
    const Slabs slabs = slabs_touched(element, finders);
    if (slabs.low == slabs.high)
      append(inside[slabs.low], element);
    else
      append(slabs.others ? last[0] : rounds.of(slabs.low, slabs.high), element);
  }

  ThreadPlan plan{rounds.take()};
  if (has_work(inside)) plan.phases.insert(plan.phases.begin(), std::move(inside));
  if (has_work(last)) plan.phases.push_back(std::move(last));
  return plan;
}

bool has_repeated_targets(std::int64_t size, std::span<const Touch> touches) {
  constexpr std::int64_t nobody = -1;
  std::vector<std::int64_t> visitor;  // of each row: the last element that touched it
  for (const Touch& touch : touches)
    if (touch.target_size > std::ssize(visitor)) visitor.resize(touch.target_size, nobody);
  for (std::int64_t element = 0; element < size; ++element)
    for (const Touch& touch : touches) {
      std::int64_t& last = visitor[row_of(touch, element)];
      if (last != nobody && last != element) return true;
      last = element;
    }
  return false;
}

ThreadPlanStatistics statistics_of(const ThreadPlan& plan) {
  std::int64_t total = 0, first = 0, longest_path = 0;
  std::size_t threads = 1;
  for (const auto& phase : plan.phases) {
    std::int64_t longest = 0;
    threads = phase.size();
    for (const RunList& runs : phase) {
      total += iterations(runs);
      longest = std::max(longest, iterations(runs));
    }
    longest_path += longest;
    if (&phase == &plan.phases.front()) first = total;
  }
  if (total == 0) return {1.0, 1.0};
  return {double(first) / double(total), double(longest_path) * double(threads) / double(total)};
}

}  // namespace op2::sched
