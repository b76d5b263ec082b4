// SPDX-License-Identifier: BSD-3-Clause
// Time that work of a stream takes on the device.
#pragma once

#include <cstddef>
#include <vector>

#include <gpu/cuda_stream.hpp>
#include <gpu/device.hpp>

namespace op2::gpu {

/// Marks in the work of one stream. All functions throw Error device_failure.
class Timer {
 public:
  /// Number of a mark since the last `restart`.
  using Mark = std::size_t;

  /// @param device  outlives it
  explicit Timer(const Device& device) : driver_(device.driver()) {}
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  /// Behind all work that is queued on the stream.
  Mark set(core::Stream& stream);
  /// From one mark to a later one. Precondition: the host has waited for the later one's stream.
  double seconds(Mark from, Mark to) const;
  /// Forgets all marks. Precondition: as of `seconds`, for all of them.
  void restart() { marks_ = 0; }

 private:
  const Driver& driver_;
  std::vector<EventHandle> events_;  ///< of marks; those behind `marks_` are free
  std::size_t marks_ = 0;
};

}  // namespace op2::gpu
