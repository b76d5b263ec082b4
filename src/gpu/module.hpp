// SPDX-License-Identifier: BSD-3-Clause
// Machine code that is loaded on a device: its kernels and its variables.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <op2/error.hpp>

#include <core/memory_space.hpp>
#include <gpu/device.hpp>

namespace op2::gpu {

/// A kernel of a module, which outlives it; null: none.
using Function = FunctionHandle;

/// A variable of a module.
struct Symbol {
  core::DeviceAddress address;
  std::size_t bytes = 0;
};

/// The driver does not accept an image: it is damaged, or not for this device or this driver.
struct ImageRefused : Error {
  ImageRefused(const Error& error, bool damaged) : Error(error), may_be_damaged(damaged) {}
  bool may_be_damaged;
};

class Module {
 public:
  /// Any thread. May wait for all work of the device.
  /// @param image   a cubin, or PTX with a zero at its end; read during the call only
  /// @throws ImageRefused  with the driver's messages about PTX
  /// @throws Error         out_of_memory; device_failure: anything else, also of earlier work
  Module(const Device& device, std::span<const std::byte> image);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// A null one if there is none. @throws Error device_failure
  Function function(const std::string& name) const;
  std::optional<Symbol> symbol(const std::string& name) const;

 private:
  const Device& device_;
  ModuleHandle handle_ = nullptr;
};

// Launches of single kernels.

/// One-dimensional.
struct LaunchShape {
  unsigned blocks = 0;
  unsigned threads = 0;  ///< of a block
};

/// Queues a kernel. Returns before it has run. Without blocks nothing is queued.
/// @param stream      of a device's space
/// @param parameters  addresses of the values of the kernel's parameters, which are copied
/// @throws Error      device_failure
void launch(const core::Stream& stream, Function function, const LaunchShape& shape,
            std::span<void* const> parameters);

// Kernels, and the order in which they depend on each other, that are launched as one.

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
  Node add(Function function, const LaunchShape& shape, std::span<void* const> parameters,
           std::span<const Node> after);
  /// Makes the graph executable; once.
  void finish();
  /// After `finish`: queues all its kernels. Without kernels nothing is queued.
  void launch(const core::Stream& stream) const;

 private:
  const Driver& driver_;
  GraphHandle graph_ = nullptr;
  ExecutableHandle executable_ = nullptr;
  std::vector<NodeHandle> nodes_;
};

}  // namespace op2::gpu
