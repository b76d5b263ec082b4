// SPDX-License-Identifier: BSD-3-Clause
// What iterations of each loop cost, by its identity: kernel source and shape, not its name. From
// what this session has measured, before that from an earlier one.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <core/queue.hpp>
#include <sched/plan.hpp>
#include <sched/policy/chain_model.hpp>

namespace op2::sched {

/// A digest of the kernel's source and of the kinds, modes, dims, types and maps of the arguments:
/// equal in all runs of a program, whatever the sizes of its mesh.
std::string identity_of(const core::LoopRecord& loop, std::span<const core::LoopArg> args);

class CostBook {
 public:
  CostBook() = default;
  /// Costs of earlier sessions.
  explicit CostBook(std::map<std::string, LoopCost> known) : known_(std::move(known)) {}

  /// Where what a loop takes is added up; the address holds as long as the book.
  LoopTimes& times_of(const core::LoopRecord& loop, std::span<const core::LoopArg> args);

  /// Whose measurements count.
  enum class Sessions { earlier, all };
  /// Per record of the queue; nothing is known of assignments.
  std::vector<LoopCost> costs_of(const core::Queue& queue, Sessions sessions) const;

  /// All that is known, by identity, to be kept.
  std::map<std::string, LoopCost> all() const;

 private:
  LoopCost cost_of(const std::string& identity, Sessions sessions) const;

  std::map<std::string, LoopCost> known_;
  std::map<std::string, LoopTimes> measured_;
};

/// Lets a plan's rows add to the book.
void open_times(const core::Queue& queue, CostBook& book, Plan& plan);

}  // namespace op2::sched
