// SPDX-License-Identifier: BSD-3-Clause
#include <sched/loop_requests.hpp>

#include <fmt/format.h>

#include <sched/shapes.hpp>

namespace op2::sched {

std::string site_of(const core::LoopRecord& loop) {
  return fmt::format("{}:{}", loop.where.file, loop.where.line);
}

jit::LoopRequest LoopRequests::of(const core::Queue& queue, const Step& step) {
  jit::LoopRequest request;
  request.nest.args = arg_shapes(step.args);
  request.nest.gathered = step.gathered;
  for (const KernelUse& use : step.kernels) {
    const core::LoopRecord& loop = queue.records()[use.record];
    const auto [known, fresh] = calls_.try_emplace(use.kernel);
    if (fresh) known->second = call_of(mesh_, use.kernel);
    request.nest.calls.push_back(known->second);
    request.nest.calls.back().args = use.args;
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
