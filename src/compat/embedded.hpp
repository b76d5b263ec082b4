// SPDX-License-Identifier: BSD-3-Clause
// The sources of kernels that were embedded into the program when it was built.
#pragma once

#include <span>
#include <vector>

#include <op2/compat/op2_embedded.h>

namespace op2::compat {

/// The registered kernel of a function pointer, or null. Valid until the library that registered it
/// is unloaded. Thread safe. Cost O(registered kernels).
const embedded::Kernel* embedded_kernel(void (*function)());

/// All tables that are registered now, for tests.
std::vector<std::span<const embedded::Kernel>> embedded_tables();

}  // namespace op2::compat
