// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace op2::jit {

/// The build id that the static linker wrote into the loaded library that `address` is in, in
/// hexadecimal; empty if it has none. Distinguishes builds of one version.
std::string build_id_of(const void* address);

}  // namespace op2::jit
