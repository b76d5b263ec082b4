// SPDX-License-Identifier: BSD-3-Clause
// The recorded sequences as queues, so that the library's own passes can be run on them.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include <core/measurements/run_record.hpp>
#include <core/mesh.hpp>
#include <core/queue.hpp>
#include <sched/analysis/analyse.hpp>
#include <sched/cost/candidates.hpp>

namespace op2::model {

using sched::Schedule;

/// Sets without elements and dats without rows, which passes on descriptors do not need.
class Program {
 public:
  /// @param record      outlives it
  /// @param local_maps  of each set, as those of a cut
  /// @param deepest     of a cut, too
  Program(const core::RunRecord& record, const std::vector<char>& local_maps,
          core::Level deepest = core::deepest_tracked);
  Program(const Program&) = delete;

  const core::RunRecord& record() const { return record_; }
  /// With a record for each colour of a loop.
  const core::Queue& queue(std::size_t sequence) const { return queues_[sequence]; }
  /// Of chains, beside those that correctness sets.
  sched::ChainLimits limits() const { return {2 * record_.depth_max, record_.keep_dead}; }

  /// The passes cut and analyse of the library.
  /// @param valid  of each dat, before the sequence
  sched::Analysis plan(std::size_t sequence, const Schedule& schedule, int ranks,
                       const std::vector<core::Level>& valid) const;

 private:
  void push(const core::RecordedSequence& sequence);
  void push(const core::RecordedLoop& loop, core::Queue& queue);
  core::Global& global(int index, int bytes);

  const core::RunRecord& record_;
  core::Mesh mesh_;
  std::map<int, core::Global*> globals_;
  std::map<std::string, op_kernel_core> kernels_;
  std::deque<core::Colouring> colourings_;
  std::deque<core::Queue> declared_, queues_;
};

}  // namespace op2::model
