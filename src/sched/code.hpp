// SPDX-License-Identifier: BSD-3-Clause
// The pass that finds code for the steps of a plan: in memory, on disk, from another rank, or
// compiled. What cannot be compiled runs as the kernel's host function.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <core/log.hpp>
#include <core/mesh.hpp>
#include <core/options.hpp>
#include <core/queue.hpp>
#include <jit/jit.hpp>
#include <sched/fuse.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// Whether a plan waits for code that is not there. A plan in place of one whose code should be
/// there by now always does: then what failed is reported.
enum class Wait { as_options_say, always };

/// What was found for the steps of a plan.
struct Code {
  std::vector<StepCode> steps;
  bool awaits_code = false;  ///< steps run as host functions until they are compiled
  /// Some fused steps stay apart from now on: their code cannot be made, or is not vectorised while
  /// that of the loops alone is. The steps have to be made again.
  bool regroup = false;
};

class CodeFinder {
 public:
  /// All references must outlive it.
  CodeFinder(const core::Options& options, jit::Jit& jit, comm::Communicator& communicator,
             core::Log& log)
      : options_(options), jit_(jit), communicator_(communicator), log_(log) {}

  /// Collective. Cost: a compilation for each step that is new.
  /// @throws Error of the kernels' sources, bad_option, not_compiled, plugin_failure
  Code find(const core::Queue& queue, const core::Mesh& mesh, const Steps& steps, Wait wait);

  /// Whether the code that a plan awaits is still being made.
  bool making() const { return jit_.making(); }

  /// What the loops of this queue may be fused with. References the arguments.
  FusionRules fusion_rules(const core::Queue& queue) const;

  /// True if the kernel runs, or will run again, as host function.
  bool runs_on_host(op_kernel kernel) const {
    return wants_host(kernel) || (!fallen_back_.empty() && fallen_back_.contains(kernel));
  }
  /// Whether the source of the kernel names a declared constant. The answer is kept while no
  /// constant is added.
  bool names_constants(op_kernel kernel, const core::Mesh& mesh);

  /// Per step how it is executed, for the column "code" of the per-loop table.
  std::vector<std::string> describe(const core::Queue& queue, const core::Mesh& mesh,
                                    const Plan& plan) const;

 private:
  /// Kernels whose sources were looked at, without arguments.
  using Calls = std::map<op_kernel, jit::KernelCall>;

  bool wants_host(op_kernel kernel) const;
  bool is_compiled(const core::LoopRecord& loop, std::span<const core::LoopArg> args) const;
  void check_can_run(const core::LoopRecord& loop) const;
  jit::LoopRequest request_for(const core::Queue& queue, const core::Mesh& mesh, const Step& step,
                               Calls& calls) const;
  std::string describe_host(const core::LoopRecord& loop, const core::Mesh& mesh,
                            std::span<const core::LoopArg> args) const;
  bool must_wait(Wait wait) const;
  std::vector<jit::Outcome> outcomes_of(std::span<const jit::LoopRequest> requests,
                                        std::span<const Step* const> steps, Wait wait);
  bool keep_apart(const core::Queue& queue, const core::Mesh& mesh,
                  std::span<const Step* const> steps, std::span<const jit::Outcome> outcomes);
  bool loses_vectors(const core::Queue& queue, const core::Mesh& mesh, const Step& fused);
  void take(const core::Queue& queue, const core::Mesh& mesh, const Step& step,
            const jit::Outcome& outcome, StepCode& code);
  void fall_back(const core::LoopRecord& loop, const Error& error);
  void report(const core::LoopRecord& loop, const jit::CompiledLoop& code);

  const core::Options& options_;
  jit::Jit& jit_;
  comm::Communicator& communicator_;
  core::Log& log_;
  std::map<op_kernel, int> fallen_back_;       ///< cannot be compiled; by what error code
  std::set<std::vector<op_kernel>> apart_;     ///< kernels that are not fused in this order
  std::set<const jit::CompiledLoop*> logged_;  ///< the log has said where the code is from
  std::map<op_kernel, bool> names_constants_;
  std::size_t constants_looked_for_ = 0;  ///< in `names_constants_`
};

}  // namespace op2::sched
