// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace op2::jit {

/// The build id that the static linker wrote into the ELF file `path`, in hexadecimal; empty if it
/// has none or cannot be read. Distinguishes builds of one version.
std::string build_id_of(const char* path);

}  // namespace op2::jit
