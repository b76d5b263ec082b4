// SPDX-License-Identifier: BSD-3-Clause
// The texts of kernels that were put into the program when it was built.
#pragma once

#include <span>
#include <vector>

#include <op2/compat/op2_embedded.h>

namespace op2::compat {

/// What is known of a function of the program, or null. Holds until the unit that registered it is
/// unloaded. Thread safe. Cost O(registered kernels).
const embedded::Kernel* embedded_kernel(void (*function)());

/// All tables that are registered now, for tests.
std::vector<std::span<const embedded::Kernel>> embedded_tables();

}  // namespace op2::compat
