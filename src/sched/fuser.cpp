// SPDX-License-Identifier: BSD-3-Clause
#include <sched/fuser.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <jit/lanes.hpp>
#include <sched/lower.hpp>
#include <sched/shared_code.hpp>

namespace op2::sched {
namespace {

/// More arguments than this do not fit into registers by far, more loops not into the cache of
/// instructions.
constexpr std::size_t most_args = 24, most_loops = 32;

/// Whether the shape of a loop allows vector code at all. The answer is the same on every rank,
/// whatever its processor.
bool allows_vectors(const LoopStep& loop) {
  constexpr int vector_bytes = 16;
  return jit::lanes_of(arg_shapes(loop.args), vector_bytes).width > 1;
}

bool can_be_fused(const LoopStep& loop, const core::Mesh& mesh) {
  return loop.kind == LoopStep::Kind::loop && loop.range != nullptr && !loop.in_order &&
         can_be_part(loop, mesh);
}

/// Whether two loops link iterations by a dat or a global, other than iteration n with n.
bool conflict(const LoopStep& a, const LoopStep& b) {
  for (const core::LoopArg& first : a.args)
    for (const core::LoopArg& second : b.args) {
      const bool is_used = first.active && second.active && (first.modifies() || second.modifies());
      if (!is_used || first.kind != second.kind) continue;
      if (first.kind == OP_ARG_GBL && first.global != nullptr && first.global == second.global)
        return true;
      if (first.kind == OP_ARG_DAT && first.dat == second.dat &&
          (first.is_indirect() || second.is_indirect()))
        return true;
    }
  return false;
}

/// Whether fusing saves anything: a dat that both reach directly.
bool share_rows(const LoopStep& a, const LoopStep& b) {
  return std::ranges::any_of(a.args, [&](const core::LoopArg& first) {
    return first.is_active_dat() && !first.is_indirect() &&
           std::ranges::any_of(b.args, [&](const core::LoopArg& second) {
             return second.is_active_dat() && !second.is_indirect() && second.dat == first.dat;
           });
  });
}

/// Whether two loops have the same elements on every rank. On one there are no halos, however far a
/// loop would run into them.
bool same_elements(const LoopStep& a, const LoopStep& b) {
  if (a.set != b.set) return false;
  if (a.set->distributed()) return a.extent == b.extent && a.core == b.core;
  return a.set->within(a.extent) == a.set->within(b.extent) &&
         a.set->within(a.core) == a.set->within(b.core);
}

bool can_join(const FusionGroup& group, const LoopStep& next, const std::vector<LoopStep>& steps) {
  const LoopStep& first = steps[group.front()];
  if (!same_elements(first, next)) return false;
  if (allows_vectors(next) != allows_vectors(first)) return false;
  std::vector<const LoopStep*> all;
  bool shares = false;
  for (const std::size_t k : group) {
    if (conflict(steps[k], next)) return false;
    shares = shares || share_rows(steps[k], next);
    all.push_back(&steps[k]);
  }
  all.push_back(&next);
  return shares && all.size() <= most_loops && count_args(all) <= most_args;
}

/// What the kernels name, without text and arguments; nothing if they mean different variables by
/// one name.
std::optional<jit::KernelCall> joined_call(const core::Mesh& mesh,
                                           std::span<const LoopStep* const> loops) {
  jit::KernelCall joined;
  std::map<std::string, jit::ConstantShape> constants;
  for (const LoopStep* loop : loops) {
    const jit::KernelCall call = call_of(mesh, loop->kernel);
    joined.any_const = joined.any_const || call.any_const;
    for (const jit::ConstantShape& constant : call.constants)
      if (constants.try_emplace(constant.name, constant).first->second != constant) return {};
  }
  for (auto& [name, constant] : constants) joined.constants.push_back(std::move(constant));
  return joined;
}

/// "a+b+c", or "a+b+c+... (16 loops)".
std::string joined_name(const std::vector<std::string>& names) {
  constexpr std::size_t most = 4;
  if (names.size() <= most) return fmt::format("{}", fmt::join(names, "+"));
  return fmt::format("{}+... ({} loops)", fmt::join(names.begin(), names.begin() + most, "+"),
                     names.size());
}

}  // namespace

std::vector<FusionGroup> groups_of(const ChainPlan& chain, const std::vector<LoopStep>& steps,
                                   const core::Mesh& mesh) {
  std::vector<FusionGroup> groups(1);
  for (std::size_t k = chain.begin; k < chain.end; ++k) {
    if (!can_be_fused(steps[k], mesh)) {
      groups.emplace_back();
      continue;
    }
    if (!groups.back().empty() && !can_join(groups.back(), steps[k], steps)) groups.emplace_back();
    groups.back().push_back(k);
  }
  std::erase_if(groups, [](const FusionGroup& group) { return group.size() < 2; });
  return groups;
}

void Fuser::fuse(const core::Queue& queue, const core::Mesh& mesh, Plan& plan) {
  std::vector<Candidate> candidates;
  std::vector<jit::LoopRequest> requests;
  for (const ChainPlan& chain : plan.chains)
    for (FusionGroup& group : groups_of(chain, plan.steps, mesh)) {
      std::vector<const LoopStep*> loops;
      for (const std::size_t k : group) loops.push_back(&plan.steps[k]);
      std::optional<jit::KernelCall> call = joined_call(mesh, loops);
      if (!call) continue;
      FusedKernel fused = fuse_kernels(loops, call->any_const);
      const op_kernel kernel = kernel_for(fused);
      call->name = fused.name;
      call->source = fused.text;
      const core::CallSite& where = queue.records()[group.front()].where;
      requests.push_back({nest_of(std::move(*call), fused.args),
                          {{.loop = fused.name,
                            .call_site = fmt::format("{}:{}", where.file, where.line),
                            .kernel = kernel,
                            .compare_access = false}}});
      candidates.push_back({&chain, std::move(group), std::move(fused), kernel});
    }
  if (requests.empty()) return;
  if (options_.dump.source)
    for (const jit::LoopRequest& request : requests) log_.dump(jit_.compiled_source(request.nest));
  const auto outcomes = code_for(jit_, communicator_, requests);
  for (std::size_t n = 0; n < candidates.size(); ++n)
    if (outcomes[n].code != nullptr)
      replace(queue, candidates[n], *outcomes[n].code, plan);
    else if (log_.logs(core::LogLevel::debug))
      log_.debug(fmt::format("loops are not fused: {}", outcomes[n].error->what()));
}

op_kernel Fuser::kernel_for(const FusedKernel& fused) {
  const auto [known, fresh] = kernels_.try_emplace(fused.text);
  if (fresh) core::describe(known->second, fused.name.c_str(), fused.text, "", 0, false);
  return &known->second;
}

void Fuser::replace(const core::Queue& queue, Candidate& candidate, const jit::CompiledLoop& code,
                    Plan& plan) {
  const bool wide = code.is_wide();
  const auto was_wide = [&](std::size_t k) { return plan.steps[k].wide; };
  if (!wide && std::ranges::any_of(candidate.group, was_wide)) return;
  LoopStep step;
  std::vector<std::string> names;
  for (const std::size_t k : candidate.group) {
    step.rows_of_members.push_back(plan.steps[k].row);
    names.push_back(plan.steps[k].row->name);
  }
  LoopStep& first = plan.steps[candidate.group.front()];
  step.kernel = candidate.kernel;
  step.set = first.set;
  step.args = std::move(candidate.fused.args);
  step.sources = std::move(candidate.fused.sources);
  step.range = code.range;
  step.wide = wide;
  step.core = first.core;
  step.extent = first.extent;
  step.row = &table_.row(joined_name(names));
  steps_.build(queue, {candidate.chain->begin, candidate.chain->end}, false, step);
  step.row->code = wide ? "jit, " + code.lanes : "jit";
  for (core::LoopRow* row : step.rows_of_members) row->fused_in = step.row->name;
  for (const std::size_t k : candidate.group) plan.steps[k].kind = LoopStep::Kind::fused;
  first = std::move(step);
}

}  // namespace op2::sched
