// SPDX-License-Identifier: BSD-3-Clause
// The pass that finds code for the steps of a plan: in memory, on disk, from another rank, or
// compiled. What cannot be compiled runs as the kernel's host function.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <core/log.hpp>
#include <core/mesh.hpp>
#include <core/options.hpp>
#include <core/queue.hpp>
#include <jit/jit.hpp>
#include <jit/target/target.hpp>
#include <sched/analysis/fuse.hpp>
#include <sched/loop_requests.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// `Jit::compile` for all ranks of a job: a loop has code on every rank, or the same error on every
/// rank, that of the lowest rank that has one.
///
/// With more than one rank collective: every rank makes equal requests and has made equal calls of
/// its Jit before. Then all have the same code in memory, so each knows by itself whether something
/// is missing; if nothing is, no message is sent. Otherwise the lowest rank of each target reads
/// its disk cache or compiles, and broadcasts the code: two reductions and a broadcast; if ranks
/// have different targets, which are compiled at the same time, a reduction more, and for each
/// target one and two broadcasts.
/// @throws Error kernel_differs, collective_mismatch, communication_failure
std::vector<jit::LoopCode> compile_together(jit::Jit& jit, comm::Communicator& comm,
                                            std::span<const jit::LoopRequest> requests);

/// What was found for the steps of a plan.
struct Code {
  std::vector<StepCode> steps;
  /// Some loops stay apart from now on: the code of their fused step cannot be made, or is scalar
  /// although that of the loops alone is vectorised. The steps have to be made again.
  bool regroup = false;
};

/// Who makes code.
struct CodeMakers {
  jit::Jit& target;
  jit::Jit* host;  ///< for what the target cannot run; null: the target is the CPU
};

class CodeFinder {
 public:
  /// All references must outlive it.
  CodeFinder(const core::Options& options, const CodeMakers& makers,
             comm::Communicator& communicator, core::Log& log)
      : options_(options),
        makers_(makers),
        communicator_(communicator),
        log_(log),
        rules_(jit::make_target_rules(options)) {}

  /// Collective. Cost: a compilation for each new step.
  /// @throws Error of the kernels' sources, bad_option, not_compiled, plugin_failure
  Code find(const core::Queue& queue, LoopRequests& loops, const Steps& steps);

  /// Which loops of this queue may be fused. The result references the argument.
  FusionRules fusion_rules(const core::Queue& queue) const;

  /// Whether `stop_gathering` may still be called: rows gather because the library chose it.
  bool may_stop_gathering() const {
    return gathers_ && options_.gpu_increments == core::Increments::automatic;
  }
  /// From now on no step gathers increments with the loops that use them. Uniform.
  void stop_gathering() { gathers_ = false; }
  /// The same for the loops of this step. Uniform.
  void stop_gathering(const Step& step);

  /// True if the kernel runs, or will run again, as a host function.
  bool runs_on_host(op_kernel kernel) const {
    return wants_host(kernel) || (!fallen_back_.empty() && fallen_back_.contains(kernel));
  }
  /// Whether the source of the kernel names a declared constant. The answer is kept while no
  /// constant is added.
  bool names_constants(op_kernel kernel, const core::Mesh& mesh);

  /// How each step is executed, for the column "code" of the per-loop table.
  std::vector<std::string> describe(const core::Queue& queue, const core::Mesh& mesh,
                                    const Plan& plan) const;

 private:
  bool fall_back_before_gathering(const core::Queue& queue, std::span<const Step* const> steps,
                                  std::span<const jit::LoopCode> codes);
  bool wants_host(op_kernel kernel) const;
  bool is_compiled(const core::LoopRecord& loop, std::span<const core::LoopArg> args) const;
  void check_can_run(const core::LoopRecord& loop) const;
  [[noreturn]] void refuse_host(const core::LoopRecord& loop, const core::Mesh& mesh,
                                std::span<const core::LoopArg> args) const;
  std::string describe_host(const core::LoopRecord& loop, const core::Mesh& mesh,
                            std::span<const core::LoopArg> args) const;
  bool keeps_off_device() const {
    return makers_.host != nullptr && options_.jit == core::JitMode::off;
  }
  std::string host_reason(const Step& step) const;
  jit::Jit& maker_for(const Step& step) const;
  std::vector<jit::LoopCode> compile(std::span<const jit::LoopRequest> requests,
                                     std::span<const Step* const> steps);
  bool reject_bad_fusions(const core::Queue& queue, LoopRequests& loops,
                          std::span<const Step* const> steps, std::span<const jit::LoopCode> codes);
  bool loses_vectors(const core::Queue& queue, LoopRequests& loops, const Step& fused);
  void take(const core::Queue& queue, const core::Mesh& mesh, const Step& step,
            const jit::LoopCode& made, StepCode& code);
  void fall_back(const core::LoopRecord& loop, const Error& error);
  void report_host(const core::LoopRecord& loop, const core::Mesh& mesh, const Step& step,
                   const jit::LoopCode& made);
  void report(const core::LoopRecord& loop, const jit::CompiledLoop& code);

  const core::Options& options_;
  const CodeMakers makers_;
  comm::Communicator& communicator_;
  core::Log& log_;
  const std::shared_ptr<const jit::TargetRules> rules_;
  std::map<op_kernel, int> fallen_back_;             ///< cannot be compiled; by what error code
  std::set<std::vector<op_kernel>> unfusable_;       ///< kernels that are not fused in this order
  std::set<const jit::CompiledLoop*> logged_;        ///< its origin was logged
  std::set<const jit::CompiledLoop*> good_fusions_;  ///< of fused loops, on all ranks
  std::map<op_kernel, bool> names_constants_;
  std::size_t constants_looked_for_ = 0;  ///< in `names_constants_`
  bool gathers_ = true;                   ///< on a device, where loops allow it
};

}  // namespace op2::sched
