// SPDX-License-Identifier: BSD-3-Clause
#include "launches.hpp"

#include <algorithm>
#include <map>
#include <set>

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

/// Kernels of a graph that have run.
class Progress {
 public:
  explicit Progress(const ExecutableGraph& graph) : graph_(graph) {}

  bool can_run(const Node* handle) const {
    return std::ranges::all_of(graph_.nodes.at(handle).after,
                               [&](const Node* before) { return began_.contains(before); });
  }
  void note(const Node* handle, std::uint64_t began) { began_.emplace(handle, began); }
  /// When those began that no path of edges orders before it.
  std::vector<std::uint64_t> rivals_of(const Node* handle) const {
    std::set<const Node*> before;
    add_before(handle, before);
    std::vector<std::uint64_t> rivals;
    for (const auto& [other, began] : began_)
      if (!before.contains(other)) rivals.push_back(began);
    return rivals;
  }

 private:
  void add_before(const Node* handle, std::set<const Node*>& before) const {
    for (const Node* other : graph_.nodes.at(handle).after)
      if (before.insert(other).second) add_before(other, before);
  }
  const ExecutableGraph& graph_;
  std::map<const Node*, std::uint64_t> began_;
};

/// Work has begun.
void run(Context& context, const Launch& launch) {
  Arena& arena = context.device.arena();
  load_variables(arena, launch);
  const std::string finding = KernelRun(launch, arena, context.kernels).run();
  if (!finding.empty())
    context.device.report(fmt::format("kernel '{}', {}", launch.entry.name, finding));
  store_variables(arena, launch);
}

}  // namespace

std::shared_ptr<const Launch> make_launch(const Function& function, const LaunchShape& shape,
                                          void* const* parameters) {
  const Entry& entry = function.entry;
  require(shape.blocks > 0 && shape.threads > 0);
  require(shape.threads <= static_cast<unsigned>(entry.max_threads));
  require(parameters != nullptr || entry.sizes.empty());
  auto launch = std::make_shared<Launch>(
      Launch{entry, function.module->image, function.module->variables, shape, {}});
  for (std::size_t k = 0; k < entry.sizes.size(); ++k) {
    const auto* value = static_cast<const std::byte*>(parameters[k]);
    launch->parameters.emplace_back(value, value + entry.sizes[k]);
  }
  return launch;
}

void run_kernel(Context& context, const Launch& launch, const Ticket& ticket) {
  context.device.access_order().begin(launch.entry.name, ticket);
  run(context, launch);
}

void run_graph(Context& context, const ExecutableGraph& graph, const Ticket& ticket) {
  Progress progress(graph);
  AccessOrder& order = context.device.access_order();
  std::vector<const Node*> left;
  for (const auto& [handle, node] : graph.nodes) left.push_back(handle);
  while (!left.empty()) {
    std::ranges::shuffle(left, context.kernels.dice);
    const auto next =
        std::ranges::find_if(left, [&](const Node* handle) { return progress.can_run(handle); });
    const Launch& launch = *graph.nodes.at(*next).launch;
    order.begin(launch.entry.name, ticket, progress.rivals_of(*next));
    progress.note(*next, order.moment().kernel);
    left.erase(next);
    run(context, launch);
  }
}

}  // namespace op2::test::gpu::cuda
