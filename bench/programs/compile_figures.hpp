// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <gpu/shared_library.hpp>

namespace bench {

/// Prints what it takes to load NVRTC and to compile the loops of Airfoil, alone and fused, one
/// after the other, without the library's cache. Needs no device.
/// @param architecture  for example "sm_90"
/// @throws op2::Error, std::runtime_error
void measure_compilation(const op2::gpu::LibraryPaths& paths, const std::string& architecture);

}  // namespace bench
