// SPDX-License-Identifier: BSD-3-Clause
// The kernels that the units of this program have registered.
#pragma once

#include <vector>

#include <op2/compat/op2_embedded.h>

namespace op2::test {

/// All kernels of the units whose names end with `file`.
std::vector<embedded::Kernel> kernels_of(const char* file);

}  // namespace op2::test
