// SPDX-License-Identifier: BSD-3-Clause
// Compiles the source of a kernel as the library will at run time: by itself, with the reduced
// standard headers of the library.
#pragma once

#include <string>

#include "kernel_source.hpp"

namespace op2::embed {

/// The first error; empty: it compiles. Cost: about 10 ms.
std::string compile_fault(const KernelSource& source);

}  // namespace op2::embed
