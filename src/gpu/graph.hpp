// SPDX-License-Identifier: BSD-3-Clause
// Kernels, and the order in which they depend on each other, that are launched as one.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <core/memory_space.hpp>
#include <gpu/launch.hpp>

namespace op2::gpu {

/// All functions throw Error device_failure.
class Graph {
 public:
  /// Position of a kernel, in order of `add`.
  using Node = std::size_t;

  /// @param device  outlives it
  explicit Graph(const Device& device);
  /// Launches have run.
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// Before `finish`.
  /// @param shape       has blocks
  /// @param parameters  addresses of the values of the kernel's parameters, which are copied
  /// @param after       the kernels that run before this one
  Node add(const Function& function, const LaunchShape& shape, std::span<void* const> parameters,
           std::span<const Node> after);
  /// Makes the graph executable; once.
  void finish();
  /// After `finish`: queues all its kernels. Without kernels nothing is queued.
  void launch(core::Stream& stream) const;

 private:
  const Driver& driver_;
  GraphHandle graph_ = nullptr;
  ExecutableHandle executable_ = nullptr;
  std::vector<NodeHandle> nodes_;
};

}  // namespace op2::gpu
