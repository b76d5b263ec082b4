// SPDX-License-Identifier: BSD-3-Clause
// The message when a device, or pinned memory of the host, has no room for what a plan needs beside
// arrays. That of arrays is core/array's.
#pragma once

#include <new>

#include <core/array.hpp>
#include <core/error.hpp>

namespace op2::sched {

/// @param what   for the message: "the halo messages of a plan"
/// @param action  may throw std::bad_alloc
/// @throws Error out_of_memory instead: what, the free bytes, the largest arrays on the device
template <class Action>
auto allocating(const core::DeviceCopies& copies, const char* what, Action action) {
  try {
    return action();
  } catch (const std::bad_alloc&) {
    const core::DeviceRoom room = copies.space().room();
    core::fail(ErrorCode::out_of_memory,
               "out of memory: {}, on the device or beside it; {} of {} bytes are free on {}; the "
               "largest arrays there: {}; use more devices or a smaller mesh",
               what, room.free, room.total, copies.space().name(), copies.list(8));
  }
}

}  // namespace op2::sched
