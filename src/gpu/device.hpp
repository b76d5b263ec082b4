// SPDX-License-Identifier: BSD-3-Clause
// One device of this process: its context, its memory and its streams.
#pragma once

#include <memory>
#include <string>

#include <core/memory_space.hpp>
#include <gpu/driver.hpp>
#include <gpu/shared_library.hpp>

namespace op2::gpu {

/// Threads: any, after `make_current` or in a CurrentContext; its space is called by one thread.
/// Modules, graphs and all owners of its memory end before it.
class Device {
 public:
  /// Local. Opens device `local_rank` modulo the number of devices that the driver shows
  /// (CUDA_VISIBLE_DEVICES), on its primary context, which the program, MPI and others share, and
  /// holds that.
  /// @throws Error  no_device: no driver, one too old, or no device; device_failure
  static std::unique_ptr<Device> open(const LibraryPaths& paths, int local_rank);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// For example "NVIDIA H200".
  const std::string& name() const { return name_; }
  /// As in sm_90: 90.
  int architecture() const { return architecture_; }
  /// The newest CUDA that the driver supports: 13000 for 13.0.
  int driver_version() const { return driver_version_; }
  int ordinal() const { return ordinal_; }
  const DeviceId& id() const { return id_; }

  core::MemorySpace& space() { return *space_; }
  /// Makes its context the current one of the calling thread, which is the library's: before its
  /// first call. @throws Error device_failure
  void make_current() const;
  /// Makes it the current one of the program's thread until `leave`, or until the device ends. Then
  /// the program's own is current again. @throws Error device_failure
  void hold();
  void leave() const;

  /// The context outlives the device: for an MPI that ends later, and after an error may still
  /// access memory, pinned or on the device.
  void keep_context() { keeps_context_ = true; }

  ContextHandle context() const { return driver_->context(); }
  const Driver& driver() const { return *driver_; }

 private:
  Device() = default;
  /// Retains the context and makes the space.
  void enter();

  std::string name_;
  int architecture_ = 0, driver_version_ = 0, ordinal_ = 0;
  DeviceId id_;
  DeviceNumber number_ = 0;
  ContextHandle of_program_ = nullptr;  ///< while its own is held
  bool keeps_context_ = false;
  std::unique_ptr<Driver> driver_;
  std::unique_ptr<core::MemorySpace> space_;
};

}  // namespace op2::gpu
