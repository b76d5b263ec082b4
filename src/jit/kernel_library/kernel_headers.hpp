// SPDX-License-Identifier: BSD-3-Clause
// The headers of this folder as text. Kernels see no file of the machine: these stand for those of the
// C and C++ libraries, and parsing them takes no measurable time. Independent of compilers, so that a
// fingerprint of them is available without loading one.
#pragma once

#include <span>

namespace op2::jit {

struct KernelHeader {
  const char* folder;  ///< "common", or "cpu" or "cuda": for one kind of compiler only
  const char* name;    ///< as kernels include it: "algorithm", "math.h"
  const char* text;
};

std::span<const KernelHeader> kernel_headers();

}  // namespace op2::jit
