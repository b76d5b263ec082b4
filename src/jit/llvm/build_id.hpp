// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace op2::jit {

/// The build id that the static linker wrote into the LLVM that compiles, in hexadecimal; "unknown"
/// if it has none. Distinguishes builds of one version. Reads the file that libop2 was built with;
/// if it is elsewhere now, loads it, which takes 10 ms.
std::string build_id_of_llvm();

/// Identifies the library of consistent_math.hpp that this process loads: the name of its file and
/// its build id, or its path; empty if there is none. Loads it, and reads the file.
std::string build_of_consistent_library();

}  // namespace op2::jit
