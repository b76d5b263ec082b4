// SPDX-License-Identifier: BSD-3-Clause
#include <sched/loop_requests.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <sched/shapes.hpp>

namespace op2::sched {
namespace {

/// Of dats of a step among its arguments.
std::vector<std::int32_t> numbers_of(const std::vector<const core::Dat*>& dats, const Step& step,
                                     const std::vector<jit::ArgShape>& shapes) {
  std::vector<std::int32_t> numbers;
  for (const core::Dat* dat : dats) {
    const auto use = std::ranges::find_if(
        step.args, [&](const core::LoopArg& arg) { return arg.is_active_dat() && arg.dat == dat; });
    numbers.push_back(shapes[static_cast<std::size_t>(use - step.args.begin())].dat);
  }
  return numbers;
}

}  // namespace

std::string site_of(const core::LoopRecord& loop) {
  return fmt::format("{}:{}", loop.where.file, loop.where.line);
}

std::string named_with_site(const core::LoopRecord& loop) {
  return fmt::format("loop '{}' ({})", loop.name, site_of(loop));
}

jit::LoopRequest LoopRequests::of(const core::Queue& queue, const Step& step) {
  jit::LoopRequest request;
  request.nest.args = arg_shapes(step.args);
  if (step.gathers()) {
    const auto& [ends, extent, zero_initialised, not_stored] = *step.gather;
    request.nest.gathered = ends;
    request.nest.zero_initialised = numbers_of(zero_initialised, step, request.nest.args);
    request.nest.not_stored = numbers_of(not_stored, step, request.nest.args);
  }
  for (const KernelUse& use : step.kernels) {
    const core::LoopRecord& loop = queue.records()[use.record];
    const auto [known, fresh] = calls_.try_emplace(use.kernel);
    if (fresh) known->second = call_of(mesh_, use.kernel, limit_);
    request.nest.calls.push_back(known->second);
    request.nest.calls.back().args = use.args;
    request.nest.calls.back().traps = loop.traps;
    request.origins.push_back(
        {.loop = loop.name,
         .call_site = site_of(loop),
         .kernel = use.kernel,
         .compare_access = check_access_ || mesh_.function_of(use.kernel) == nullptr,
         .optional = optional_args(queue.args_of(loop))});
  }
  return request;
}

}  // namespace op2::sched
