// SPDX-License-Identifier: BSD-3-Clause
// The driver's functions for graphs of kernels.
#include <cstddef>
#include <memory>
#include <set>
#include <string>

#include <fmt/format.h>

#include "calls.hpp"
#include "launches.hpp"
#include "stream_order.hpp"

using namespace op2::test::gpu::cuda;
using op2::test::gpu::Ticket;

namespace {

/// As in cuda.h.
struct NodeParameters {
  Function* function;
  unsigned blocks[3], threads[3], shared_bytes;
  void **parameters, **extra;
  void *kernel, *context;
};

std::shared_ptr<const Launch> launch_of(const NodeParameters& node) {
  for (int k : {1, 2})
    if (node.blocks[k] != 1 || node.threads[k] != 1 || node.shared_bytes != 0)
      throw DriverError{Code::invalid_value};
  return make_launch(*node.function, {node.blocks[0], node.threads[0]}, node.parameters);
}

/// Its kernels.
std::string names_of(const ExecutableGraph& graph) {
  std::multiset<std::string> names;
  for (const auto& [handle, node] : graph.nodes) names.insert(node.launch->entry.name);
  return fmt::format("{}", fmt::join(names, " "));
}

}  // namespace

extern "C" {

int cuGraphCreate(Graph** graph, unsigned) {
  return call_in_context("cuGraphCreate", [&](Context& context) { *graph = context.graphs.add(); });
}

int cuGraphDestroy(Graph* graph) {
  return call_in_context("cuGraphDestroy", [&](Context& context) { context.graphs.remove(graph); });
}

int cuGraphAddKernelNode_v2(const Node** added, Graph* handle, const Node* const* after,
                            std::size_t count, const NodeParameters* parameters) {
  return call_in_context("cuGraphAddKernelNode_v2", [&](Context& context) {
    Graph& graph = context.graphs.at(handle);
    *added = &graph.nodes.emplace_back(
        Node{launch_of(*parameters), std::vector<const Node*>(after, after + count)});
  });
}

int cuGraphInstantiateWithFlags(ExecutableGraph** executable, Graph* handle, unsigned long long) {
  return call_in_context("cuGraphInstantiateWithFlags", [&](Context& context) {
    *executable = context.executables.add();
    for (const Node& node : context.graphs.at(handle).nodes)
      (*executable)->nodes.emplace(&node, node);
  });
}

// CUDA allows it while the graph runs: "freed asynchronously on completion".
int cuGraphExecDestroy(ExecutableGraph* executable) {
  return call_in_context("cuGraphExecDestroy",
                         [&](Context& context) { context.executables.remove(executable); });
}

int cuGraphLaunch(ExecutableGraph* executable, Stream* handle) {
  const auto launch = [&](Context& context) {
    const auto graph = std::make_shared<const ExecutableGraph>(context.executables.at(executable));
    context.device.launch(
        stream_number(context, handle), "graph",
        [&context, graph](const Ticket& ticket) { run_graph(context, *graph, ticket); });
  };
  return call_in_context("cuGraphLaunch", launch, [&](Context& context) {
    return names_of(context.executables.at(executable));
  });
}
}
