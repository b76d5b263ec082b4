// SPDX-License-Identifier: BSD-3-Clause
// Because of which code the steps of a plan have to be made anew. Errors are the same on all ranks.
#include <algorithm>

#include <jit/target/cpu/cpu_target.hpp>
#include <sched/analysis/conflicts.hpp>
#include <sched/code.hpp>
#include <sched/shapes.hpp>
#include <sched/shared_code.hpp>
#include <sched/shared_flags.hpp>

namespace op2::sched {
namespace {

std::vector<op_kernel> kernels_of(const Step& step) {
  std::vector<op_kernel> kernels(step.kernels.size());
  std::ranges::transform(step.kernels, kernels.begin(), &KernelUse::kernel);
  return kernels;
}

/// Of the CPU; devices have no vectors.
bool is_scalar(const jit::Outcome& outcome) {
  return outcome.code != nullptr && outcome.code->target == jit::cpu_target_name &&
         !outcome.code->simd.vectorised();
}

}  // namespace

/// Remembers fused steps that have no code, or whose code is scalar on some rank although that of
/// the loops alone is vectorised. Collective. Cost: a reduction if there is fused code that was not
/// compared before; if it is scalar, the code of its loops alone, and a reduction for it.
/// @return whether there are any
bool CodeFinder::keep_apart(const core::Queue& queue, LoopRequests& loops,
                            std::span<const Step* const> steps,
                            std::span<const jit::Outcome> outcomes) {
  std::vector<std::size_t> fused;  // uniform: all ranks have the same code in memory
  std::vector<char> scalar;        // ranks may have other processors
  for (std::size_t n = 0; n < steps.size(); ++n) {
    if (!steps[n]->fused() || good_.contains(outcomes[n].code)) continue;
    fused.push_back(n);
    scalar.push_back(is_scalar(outcomes[n]) ? 1 : 0);
  }
  combine_flags(scalar, communicator_, "comparing fused loops that are not vectorised");
  bool any = false;
  for (std::size_t k = 0; k < fused.size(); ++k) {
    const Step& step = *steps[fused[k]];
    const jit::Outcome& outcome = outcomes[fused[k]];
    const bool is_bad =
        outcome.error || (scalar[k] != 0 && rules_->allows_vectors(arg_shapes(step.args)) &&
                          loses_vectors(queue, loops, step));
    if (is_bad)
      apart_.insert(kernels_of(step));
    else if (outcome.code != nullptr)
      good_.insert(outcome.code);
    any = any || is_bad;
  }
  return any;
}

/// A step grows loop by loop: it is enough to refuse the first one that uses the sums.
void CodeFinder::stop_gathering(const Step& step) {
  std::vector<op_kernel> kernels = kernels_of(step);
  kernels.resize(step.gathered().size() + 1);
  apart_.insert(std::move(kernels));
}

/// Steps that gather move rows to where the host does not look for them. So if the host must run a
/// loop after all, the steps are made anew. @return whether that is so
bool CodeFinder::fall_back_before_gathering(const core::Queue& queue,
                                            std::span<const Step* const> steps,
                                            std::span<const jit::Outcome> outcomes) {
  if (std::ranges::none_of(steps, &Step::gathers)) return false;
  bool any = false;
  for (std::size_t n = 0; n < steps.size(); ++n) {
    if (!outcomes[n].error || steps[n]->fused()) continue;
    fall_back(queue.records()[steps[n]->record], *outcomes[n].error);
    any = true;
  }
  return any;
}

/// Collective. Whether the code of a loop alone is vectorised on any rank.
bool CodeFinder::loses_vectors(const core::Queue& queue, LoopRequests& loops, const Step& fused) {
  std::vector<jit::LoopRequest> requests;
  for (const KernelUse& use : fused.kernels)
    requests.push_back(loops.of(queue, step_of(queue, use.record)));
  std::vector<char> vectorised(1, 0);
  for (const jit::Outcome& outcome : code_for(makers_.target, communicator_, requests))
    if (outcome.code != nullptr && outcome.code->simd.vectorised()) vectorised[0] = 1;
  combine_flags(vectorised, communicator_, "comparing which loops are vectorised");
  return vectorised[0] != 0;
}

}  // namespace op2::sched
