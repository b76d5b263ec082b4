// SPDX-License-Identifier: BSD-3-Clause
// What switches mean for each other.
#pragma once

#include <core/options.hpp>

namespace op2::core {

/// Sets what OP2_TARGET=reference and OP2_REPRODUCIBLE=on imply.
/// @throws Error bad_option  of switches that exclude or need each other
void apply_rules(Options& options);

}  // namespace op2::core
