// SPDX-License-Identifier: BSD-3-Clause
// Constants in the modules of a device: kernels read copies there, programs change theirs here.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include <core/array.hpp>
#include <jit/target/cuda/cuda_loop.hpp>

namespace op2::sched {

class CurrentConstants {
 public:
  using Modules = std::vector<const jit::CudaLoop*>;  ///< each once

  explicit CurrentConstants(core::DeviceCopies& copies)
      : copies_(copies), space_(copies.space()) {}
  ~CurrentConstants() { space_.main_stream().settle(); }
  CurrentConstants(const CurrentConstants&) = delete;

  /// Gives the modules' constants the values that the program's have now, for what is queued on the
  /// main stream from now on, behind all that was. Waits only if the device is many changes behind.
  /// Cost: a comparison of their bytes; copies of those that have changed.
  /// @throws Error out_of_memory, device_failure
  void update(const Modules& modules);

 private:
  /// Changes that may be under way at the same time.
  static constexpr std::size_t ahead = 8;

  /// Values on their way to the device.
  struct Turn {
    core::PinnedBuffer memory;
    std::size_t bytes = 0;
    std::unique_ptr<core::Event> copied{};
  };
  Turn& next_turn(std::size_t bytes);
  bool is_uploaded(const jit::CudaConstant& constant) const;

  core::DeviceCopies& copies_;
  core::MemorySpace& space_;
  std::array<Turn, ahead> turns_;
  std::size_t turn_ = 0;  ///< of the next change
  std::map<core::DeviceAddress, std::vector<std::byte>> uploaded_;
};

}  // namespace op2::sched
