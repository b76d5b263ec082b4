// SPDX-License-Identifier: BSD-3-Clause
#include <gpu/graph.hpp>

#include <gpu/cuda_stream.hpp>

namespace op2::gpu {

Graph::Graph(const Device& device) : driver_(device.driver()) {
  driver_.call(&DriverApi::graph_create, &graph_, 0U);
}

Graph::~Graph() {
  if (executable_ != nullptr) driver_.call_later(&DriverApi::executable_destroy, executable_);
  driver_.call_later(&DriverApi::graph_destroy, graph_);
}

Graph::Node Graph::add(const Function& function, const LaunchShape& shape,
                       std::span<void* const> parameters, std::span<const Node> after) {
  const KernelNode node{.function = function.handle(),
                        .blocks_x = shape.blocks,
                        .threads_x = shape.threads,
                        .parameters = const_cast<void**>(parameters.data())};
  std::vector<NodeHandle> earlier;
  for (const Node other : after) earlier.push_back(nodes_.at(other));
  NodeHandle handle = nullptr;
  driver_.call(&DriverApi::graph_add_kernel, &handle, graph_, earlier.data(), earlier.size(),
               &node);
  nodes_.push_back(handle);
  return nodes_.size() - 1;
}

void Graph::finish() {
  driver_.call(&DriverApi::graph_instantiate, &executable_, graph_, 0ULL);
}

void Graph::launch(core::Stream& stream) const {
  if (nodes_.empty()) return;
  driver_.call(&DriverApi::graph_launch, executable_, cuda_stream(stream).handle());
}

}  // namespace op2::gpu
