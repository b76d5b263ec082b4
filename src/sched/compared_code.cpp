// SPDX-License-Identifier: BSD-3-Clause
// Which code of a plan's steps is not good enough on some rank, so that the steps are made anew.
#include <algorithm>

#include <jit/target/cpu/cpu_target.hpp>
#include <sched/code.hpp>
#include <sched/conflicts.hpp>
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

/// The steps whose code the ranks have not compared yet: the same on all ranks, since all have the
/// same code in memory.
std::vector<std::size_t> CodeFinder::not_compared(std::span<const Step* const> steps,
                                                  std::span<const jit::Outcome> outcomes) const {
  std::vector<std::size_t> fresh;
  for (std::size_t n = 0; n < steps.size(); ++n)
    if (!compared_.contains(outcomes[n].code)) fresh.push_back(n);
  return fresh;
}

/// Remembers fused steps that have no code on any rank, or whose code is scalar although that of
/// the loops alone is vectorised. Collective. Cost: a reduction if there is fused code that was not
/// compared before.
/// @return whether there are any
bool CodeFinder::keep_apart(const core::Queue& queue, LoopRequests& loops,
                            std::span<const Step* const> steps,
                            std::span<const jit::Outcome> outcomes) {
  std::vector<std::size_t> fused = not_compared(steps, outcomes);
  std::erase_if(fused, [&](std::size_t n) { return !steps[n]->fused(); });
  std::vector<char> failed, scalar;
  for (const std::size_t n : fused) {
    failed.push_back(outcomes[n].error ? 1 : 0);
    scalar.push_back(is_scalar(outcomes[n]) ? 1 : 0);
  }
  combine_flags(failed, scalar, communicator_, "comparing the code of fused loops");
  for (std::size_t k = 0; k < fused.size(); ++k) {
    const Step& step = *steps[fused[k]];
    if (scalar[k] != 0 && allows_vectors(step.args) && loses_vectors(queue, loops, step))
      failed[k] = 1;
    if (failed[k] != 0)
      apart_.insert(kernels_of(step));
    else if (outcomes[fused[k]].code != nullptr)
      compared_.insert(outcomes[fused[k]].code);
  }
  return std::ranges::find(failed, 1) != failed.end();
}

/// Collective. Steps that gather move rows to where the host does not look for them. So if the host
/// of any rank must run a loop after all, the steps are made anew. @return whether that is so
bool CodeFinder::fall_back_before_gathering(const core::Queue& queue,
                                            std::span<const Step* const> steps,
                                            std::span<const jit::Outcome> outcomes) {
  if (std::ranges::none_of(steps, &Step::gathers)) return false;
  std::vector<std::size_t> alone = not_compared(steps, outcomes);
  std::erase_if(alone, [&](std::size_t n) { return steps[n]->fused(); });
  std::vector<char> failed;
  for (const std::size_t n : alone) failed.push_back(outcomes[n].error ? 1 : 0);
  combine_flags(failed, communicator_, "comparing loops that the device does not run");
  for (std::size_t k = 0; k < alone.size(); ++k) {
    const jit::Outcome& outcome = outcomes[alone[k]];
    if (failed[k] == 0) {
      if (outcome.code != nullptr) compared_.insert(outcome.code);
      continue;
    }
    const Step& step = *steps[alone[k]];
    on_some_host_.insert(step.kernels.front().kernel);
    if (outcome.error) fall_back(queue.records()[step.record], *outcome.error);
  }
  return std::ranges::find(failed, 1) != failed.end();
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
