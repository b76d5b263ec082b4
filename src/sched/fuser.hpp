// SPDX-License-Identifier: BSD-3-Clause
// Fusion: neighbouring loops over the same set, of which one uses what another reaches directly,
// become one loop, so that their common data pass through the registers once.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <core/log.hpp>
#include <core/loop_table.hpp>
#include <core/mesh.hpp>
#include <core/options.hpp>
#include <core/queue.hpp>
#include <jit/jit.hpp>
#include <sched/fused_kernel.hpp>
#include <sched/plan.hpp>
#include <sched/step_builder.hpp>

namespace op2::sched {

/// Steps of a plan, ascending, that may become one.
using FusionGroup = std::vector<std::size_t>;

/// Loops of a chain that may be fused. A loop joins those before it if an iteration of theirs
/// depends on no other iteration of it: what any of them modifies and another uses is reached
/// directly by all, and no global links them. Pure; equal on all ranks.
/// @param mesh  that the loops are on
std::vector<FusionGroup> groups_of(const ChainPlan& chain, const std::vector<LoopStep>& steps,
                                   const core::Mesh& mesh);

class Fuser {
 public:
  /// All references must outlive it.
  Fuser(const core::Options& options, jit::Jit& jit, comm::Communicator& communicator,
        core::LoopTable& table, core::Log& log, StepBuilder& steps)
      : options_(options),
        jit_(jit),
        communicator_(communicator),
        table_(table),
        log_(log),
        steps_(steps) {}

  /// Replaces the first loop of each group by the fused one, unless its code cannot be made or
  /// loses the vectors that the loops have alone. Collective. Cost: a compilation for each new
  /// group.
  void fuse(const core::Queue& queue, const core::Mesh& mesh, Plan& plan);

 private:
  struct Candidate {
    const ChainPlan* chain;
    FusionGroup group;
    FusedKernel fused;
    op_kernel kernel;
  };
  op_kernel kernel_for(const FusedKernel& fused);
  void replace(const core::Queue& queue, Candidate& candidate, const jit::CompiledLoop& code,
               Plan& plan);

  const core::Options& options_;
  jit::Jit& jit_;
  comm::Communicator& communicator_;
  core::LoopTable& table_;
  core::Log& log_;
  StepBuilder& steps_;
  std::map<std::string, core::Kernel> kernels_;  ///< by their texts
};

}  // namespace op2::sched
