// SPDX-License-Identifier: BSD-3-Clause
// Machine code that is loaded on a device: its kernels and its variables.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include <core/memory_space.hpp>
#include <gpu/device.hpp>
#include <op2/error.hpp>

namespace op2::gpu {

/// A kernel of a module, which outlives it. Copies are the same kernel.
class Function {
 public:
  /// No kernel.
  Function() = default;
  explicit Function(FunctionHandle handle) : handle_(handle) {}

  explicit operator bool() const { return handle_ != nullptr; }
  FunctionHandle handle() const { return handle_; }

 private:
  FunctionHandle handle_ = nullptr;
};

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

}  // namespace op2::gpu
