// SPDX-License-Identifier: BSD-3-Clause
// What iterations of each loop cost, by its identity: kernel, shape and size, not the loop's name.
// From what this session has measured, before that from an earlier one.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <core/queue.hpp>
#include <sched/plan.hpp>
#include <sched/policy/chain_model.hpp>

namespace op2::sched {

/// On what the cost of an iteration depends besides its loop.
struct CostContext {
  int threads = 1;
  bool reproducible = false;  ///< sums go through slots
};

/// A digest of the kernel's name and source, of the kinds, modes, dims and types of the arguments
/// and the arities of their maps, of the context, and with the size of the set on this rank, as a
/// power of 4: equal in all runs of a program on parts of about the same size.
std::string identity_of(const core::LoopRecord& loop, std::span<const core::LoopArg> args,
                        const CostContext& context);

class CostBook {
 public:
  explicit CostBook(const CostContext& context) : context_(context) {}
  CostBook(const CostBook&) = delete;  // what it has given refers to it
  CostBook& operator=(const CostBook&) = delete;

  /// Costs of earlier sessions. Those of a set of another size are used only as long as the loop
  /// has not been measured: what is missing then is not mixed from another size, where caches hold
  /// more or less.
  void take_known(std::map<std::string, LoopCost> known) { known_ = std::move(known); }

  /// To be called before each flush.
  void begin_flush() { ++flush_; }

  /// Where what a loop takes is added up; the address holds as long as the book.
  LoopTimes& times_of(const core::LoopRecord& loop, std::span<const core::LoopArg> args);

  /// Whose measurements count.
  enum class Sessions { earlier, all };
  /// Per record of the queue; nothing is known of assignments, nor in all sessions of a loop that
  /// has no elements here and has not run: other ranks know better.
  /// @param agreed  on what the ranks have agreed before, per record, or empty: counts where only a
  ///                first flush was measured here
  std::vector<LoopCost> costs_of(const core::Queue& queue, Sessions sessions,
                                 std::span<const LoopCost> agreed = {}) const;

  /// What is known, by identity, to be kept.
  /// @param most  so many; those that have not run in this session are left out first
  std::map<std::string, LoopCost> all(std::size_t most) const;

 private:
  LoopCost cost_of(const core::LoopRecord& loop, std::span<const core::LoopArg> args,
                   Sessions sessions, const LoopCost& agreed) const;
  LoopCost earlier_cost(const std::string& digest, int size_class) const;

  const CostContext context_;
  std::map<std::string, LoopCost> known_;
  std::map<std::string, LoopTimes> measured_;
  std::int64_t flush_ = 0;  ///< its number
};

/// Lets a plan's rows add to the book, but for host functions that run while code is being made.
void open_times(const core::Queue& queue, CostBook& book, Plan& plan);

}  // namespace op2::sched
