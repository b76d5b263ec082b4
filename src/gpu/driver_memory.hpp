// SPDX-License-Identifier: BSD-3-Clause
// Allocations, where a lack of memory has an own exception.
#pragma once

#include <cstddef>

#include <gpu/driver.hpp>

namespace op2::gpu {

// @throws std::bad_alloc; Error device_failure
DevicePointer allocate_device(const Driver& driver, std::size_t bytes);
void* allocate_pinned(const Driver& driver, std::size_t bytes);

}  // namespace op2::gpu
