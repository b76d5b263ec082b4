// SPDX-License-Identifier: BSD-3-Clause
#include "launches.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "elf_file.hpp"

#include <fmt/format.h>

namespace op2::test::gpu::cuda {
namespace {

void require(bool possible) {
  if (!possible) throw DriverError{Code::invalid_value};
}

/// The program knows variables by an address in the arena, kernels by one in the module.
void load_variables(Arena& arena, const Launch& launch) {
  for (const KnownVariable& variable : *launch.variables)
    arena.copy_out(variable.in_image.data(), variable.on_device, variable.in_image.size());
}

void store_variables(Arena& arena, const Launch& launch) {
  for (const KnownVariable& variable : *launch.variables)
    if (!variable.constant)
      arena.copy_in(variable.on_device, variable.in_image.data(), variable.in_image.size());
}

bool can_run(const Node& node, const std::set<const Node*>& done) {
  return std::ranges::all_of(node.after, [&](const Node* before) { return done.contains(before); });
}

}  // namespace

std::shared_ptr<const Launch> make_launch(const Function& function, const LaunchShape& shape,
                                          void* const* parameters) {
  const Entry& entry = function.entry;
  require(shape.blocks > 0 && shape.threads > 0);
  require(shape.threads <= static_cast<unsigned>(entry.max_threads));
  require(shape.shared_bytes <= function.max_dynamic_shared);
  require(parameters != nullptr || entry.sizes.empty());
  auto launch = std::make_shared<Launch>(
      Launch{entry, function.module->image, function.module->variables, shape, {}});
  for (std::size_t k = 0; k < entry.sizes.size(); ++k) {
    const auto* value = static_cast<const std::byte*>(parameters[k]);
    launch->parameters.emplace_back(value, value + entry.sizes[k]);
  }
  return launch;
}

void run_kernel(Context& context, const Launch& launch) {
  Arena& arena = context.device.arena();
  load_variables(arena, launch);
  const std::string finding = KernelRun(launch, arena, context.kernels).run();
  if (!finding.empty())
    context.device.report(fmt::format("kernel '{}', {}", launch.entry.name, finding));
  store_variables(arena, launch);
}

void run_graph(Context& context, const ExecutableGraph& graph) {
  std::set<const Node*> done;
  std::vector<const Node*> left;
  for (const auto& [handle, node] : graph.nodes) left.push_back(handle);
  while (!left.empty()) {
    std::ranges::shuffle(left, context.kernels.dice);
    const auto next = std::ranges::find_if(
        left, [&](const Node* handle) { return can_run(graph.nodes.at(handle), done); });
    run_kernel(context, *graph.nodes.at(*next).launch);
    done.insert(*next);
    left.erase(next);
  }
}

}  // namespace op2::test::gpu::cuda
