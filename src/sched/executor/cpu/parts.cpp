// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cpu/parts.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include <jit/target/cpu/cpu_target.hpp>

namespace op2::sched {
namespace {

using Stage = std::vector<IndexRanges>;

/// First element of block `block` if `size` elements are cut into `blocks` blocks.
std::int64_t block_begin(std::int64_t size, int blocks, int block) {
  return size * block / blocks;
}

/// Finds the block of each row that an argument accesses: at once while the block stays the same,
/// otherwise by a division.
class BlockFinder {
 public:
  BlockFinder(const RowAccess& access, int blocks) : access_(access), blocks_(blocks) {}

  int block_at(std::int64_t element) {
    const std::int64_t row = access_.row_of(element);
    if (row < begin_ || row >= end_) move_to(row);
    return block_;
  }

 private:
  /// Solves block_begin(block) <= row < block_begin(block + 1).
  void move_to(std::int64_t row) {
    block_ = static_cast<int>(((row + 1) * blocks_ - 1) / access_.rows);
    begin_ = block_begin(access_.rows, blocks_, block_);
    end_ = block_begin(access_.rows, blocks_, block_ + 1);
  }

  RowAccess access_;
  int blocks_;
  int block_ = 0;
  std::int64_t begin_ = 0, end_ = 0;
};

/// The blocks accessed by one iteration.
struct AccessedBlocks {
  int low, high;  ///< the lowest and the highest
  bool others;    ///< and others between them
};

AccessedBlocks blocks_accessed(std::int64_t element, std::span<BlockFinder> finders) {
  const int first = finders.front().block_at(element);
  AccessedBlocks blocks{first, first, false};
  for (BlockFinder& finder : finders.subspan(1)) {
    const int block = finder.block_at(element);
    if (block == blocks.low || block == blocks.high) continue;
    blocks.others = blocks.others || blocks.low < blocks.high;
    blocks.low = std::min(blocks.low, block);
    blocks.high = std::max(blocks.high, block);
  }
  return blocks;
}

/// Assigns pairs of blocks, in order of appearance, to the first round in which both are free. At
/// most 2 * threads - 3 rounds; two or three if only neighbouring blocks share rows.
class Rounds {
 public:
  explicit Rounds(int threads) : threads_(threads) {}

  /// The ranges that the thread of the lower block runs for the pair.
  IndexRanges& of(int low, int high) {
    const auto [known, fresh] = round_.try_emplace({low, high}, 0);
    if (fresh) known->second = first_free(low, high);
    return rounds_[known->second][low];
  }

  std::vector<Stage> take() { return std::move(rounds_); }

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
  std::vector<std::vector<bool>> busy_;  ///< [round][block]
  std::vector<Stage> rounds_;
};

bool has_work(const Stage& stage) {
  return std::any_of(stage.begin(), stage.end(),
                     [](const IndexRanges& ranges) { return !ranges.empty(); });
}

ThreadPlan cut_evenly(IndexRange rows, int threads) {
  Stage stage(threads);
  const std::int64_t size = rows.end - rows.begin;
  for (int thread = 0; thread < threads; ++thread) {
    const IndexRange range{rows.begin + block_begin(size, threads, thread),
                           rows.begin + block_begin(size, threads, thread + 1)};
    if (range.begin < range.end) stage[thread].push_back(range);
  }
  return {{std::move(stage)}};
}

std::int64_t iterations(const IndexRanges& ranges) {
  std::int64_t sum = 0;
  for (const IndexRange& range : ranges) sum += range.end - range.begin;
  return sum;
}

}  // namespace

ThreadPlan plan_in_order(IndexRange rows, int threads) {
  if (rows.begin == rows.end) return {};
  Stage stage(threads);
  stage[0].push_back(rows);
  return {{std::move(stage)}};
}

ThreadPlan plan_by_global_index(std::span<const std::int32_t> global_index) {
  std::vector<std::int32_t> rows(global_index.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::ranges::sort(rows, {}, [&](std::int32_t row) { return global_index[row]; });
  IndexRanges ranges;
  for (const std::int32_t row : rows) append(ranges, {row, row + 1});
  return {{{std::move(ranges)}}};
}

ThreadPlan plan_threads(IndexRange rows, int threads, std::span<const RowAccess> accesses) {
  if (rows.begin == rows.end || threads == 1) return plan_in_order(rows, threads);
  if (accesses.empty()) return cut_evenly(rows, threads);

  std::vector<BlockFinder> finders;
  for (const RowAccess& access : accesses) finders.emplace_back(access, threads);
  Stage inside(threads), last(threads);
  Rounds rounds(threads);
  for (std::int64_t element = rows.begin; element < rows.end; ++element) {
    const AccessedBlocks blocks = blocks_accessed(element, finders);
    if (blocks.low == blocks.high)
      append(inside[blocks.low], {element, element + 1});
    else
      append(blocks.others ? last[0] : rounds.of(blocks.low, blocks.high), {element, element + 1});
  }

  ThreadPlan plan{rounds.take()};
  if (has_work(inside)) plan.stages.insert(plan.stages.begin(), std::move(inside));
  if (has_work(last)) plan.stages.push_back(std::move(last));
  return plan;
}

ThreadPlan on_one_thread(const ThreadPlan& plan) {
  IndexRanges all;
  for (const Stage& stage : plan.stages)
    for (const IndexRanges& ranges : stage)
      for (const IndexRange& range : ranges) append(all, range);
  if (all.empty()) return {};
  return {{{std::move(all)}}};
}

ThreadPlanStatistics statistics_of(const ThreadPlan& plan) {
  std::int64_t total = 0, first = 0, longest_path = 0;
  std::size_t threads = 1;
  for (const auto& stage : plan.stages) {
    std::int64_t longest = 0;
    threads = stage.size();
    for (const IndexRanges& ranges : stage) {
      total += iterations(ranges);
      longest = std::max(longest, iterations(ranges));
    }
    longest_path += longest;
    if (&stage == &plan.stages.front()) first = total;
  }
  if (total == 0) return {1.0, 1.0};
  return {double(first) / double(total), double(longest_path) * double(threads) / double(total)};
}

namespace {

/// Smaller loops run on the calling thread: waking others costs more than it gains.
constexpr int min_elements_per_thread = 256;

std::shared_ptr<const ThreadPlan> share(ThreadPlan plan) {
  return std::make_shared<const ThreadPlan>(std::move(plan));
}

/// All accesses of a pattern.
std::vector<RowAccess> accesses_of(const ConflictPattern& pattern) {
  std::vector<RowAccess> all;
  for (const SharedDat& dat : pattern)
    all.insert(all.end(), dat.accesses.begin(), dat.accesses.end());
  return all;
}

/// What a step runs of a plan for all rows.
ThreadPlan of_step(const Step& step, ThreadPlan plan) {
  for (auto& stage : plan.stages)
    for (IndexRanges& ranges : stage) ranges = step.rows_in(ranges);
  std::erase_if(plan.stages, [](const Stage& stage) { return !has_work(stage); });
  return plan;
}

}  // namespace

StepParts PartMaker::parts_of(const Step& step, const StepCode& code) {
  StepParts parts;
  if (!step.runs()) return parts;
  if (code.compiled != nullptr) parts.range = jit::range_of(*code.compiled);
  const ConflictPattern pattern = conflict_pattern(step.args, step.colouring);
  for (const Phase phase : {Phase::interior, Phase::boundary}) {
    const IndexRange rows = step.rows(phase);
    // Only reductions distinguish owned elements from others.
    const std::int64_t end = step.reductions.empty() ? rows.end : step.set->size;
    const std::int64_t border = std::clamp(end, rows.begin, rows.end);
    for (const IndexRange part : {IndexRange{rows.begin, border}, IndexRange{border, rows.end}}) {
      if (part.empty()) continue;
      (phase == Phase::interior ? parts.interior : parts.boundary)
          .push_back(part_of(step, code, pattern, part));
      const LoopPart& made = parts.in(phase).back();
      parts.threads = std::max(parts.threads, made.threads);
      parts.some_do_not_count = parts.some_do_not_count || !made.counts;
    }
  }
  return parts;
}

LoopPart PartMaker::part_of(const Step& step, const StepCode& code, const ConflictPattern& pattern,
                            IndexRange rows) {
  const core::Set& set = *step.set;
  const Order order = step.order_of(code);
  const bool few = rows.size() < std::int64_t{threads_} * min_elements_per_thread;
  const bool alone = code.compiled == nullptr || order == Order::by_global_index || few;
  const int threads = alone ? 1 : threads_;
  const bool counts = rows.begin < set.size;
  const bool by_rows = order == Order::by_rows;
  if (by_rows && alone && !few)  // on one thread, in an order in which all threads could run them
    return {share(on_one_thread(*plan_for(step, pattern, rows, threads_))), 1, counts};
  const bool as_declared = counts && ((by_rows && few) || step.runs_as_declared(code));
  const auto plan =
      as_declared ? plan_in_global_order(set) : plan_for(step, pattern, rows, threads);
  return {step.leaves_out_rows() ? share(of_step(step, *plan)) : plan, threads, counts};
}

std::shared_ptr<const ThreadPlan> PartMaker::plan_in_global_order(const core::Set& set) {
  auto& plan = in_order_[&set];
  if (plan == nullptr)
    plan = share(plan_by_global_index(std::span(set.global_indices).first(set.size)));
  return plan;
}

std::shared_ptr<const ThreadPlan> PartMaker::plan_for(const Step& step,
                                                      const ConflictPattern& pattern,
                                                      IndexRange rows, int threads) {
  // On one thread all loops over a set share a plan.
  const ConflictPattern& alike = threads == 1 ? ConflictPattern{} : pattern;
  auto& plan = shared_[{step.set, alike, rows.begin, rows.end, threads}];
  if (plan == nullptr) plan = share(plan_threads(rows, threads, accesses_of(alike)));
  return plan;
}

}  // namespace op2::sched
