// SPDX-License-Identifier: BSD-3-Clause
// Symbols of the constants that kernels read.
#pragma once

#include <string>
#include <vector>

#include <jit/loop_nest.hpp>

namespace op2::jit {

/// The constants that kernels of a nest name, each once, in order of first appearance.
std::vector<ConstantShape> constants_of(const LoopNest& nest);

/// The symbol through which generated code reads a constant; bound to an address when code is
/// loaded. Constants of one name are distinguished by their positions in `constants_of`.
std::string constant_symbol(const LoopNest& nest, const ConstantShape& constant);

/// "double qinf[4]"
std::string declaration_of(const ConstantShape& constant);

}  // namespace op2::jit
