// SPDX-License-Identifier: BSD-3-Clause
// A device of a test, which plans what goes wrong there and sees what was asked of it.
#pragma once

#include <exception>
#include <vector>

#include "device.hpp"

namespace op2::test::gpu {

/// Executors that its thread makes while it lives run on this device; they end before it.
class DeviceOfThread {
 public:
  explicit DeviceOfThread(const DeviceOptions& options) : device(options) { current() = &device; }
  ~DeviceOfThread() {
    current() = nullptr;
    take_postponed();
  }
  DeviceOfThread(const DeviceOfThread&) = delete;

  /// Null: none.
  static Device*& current() {
    thread_local Device* device = nullptr;
    return device;
  }
  /// All that was found wrong.
  const std::vector<std::string>& findings() {
    take_postponed();
    return device.findings();
  }

  Device device;

 private:
  void take_postponed() noexcept {
    try {
      device.wait_for_all();
    } catch (const std::exception&) {  // it is in the findings, or was planned
    }
  }
};

}  // namespace op2::test::gpu
