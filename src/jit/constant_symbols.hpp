// SPDX-License-Identifier: BSD-3-Clause
// How generated code names the constants that kernels read.
#pragma once

#include <string>
#include <vector>

#include <jit/loop_nest.hpp>

namespace op2::jit {

/// The constants that kernels of a nest name, each once, in order of first appearance.
std::vector<ConstantShape> constants_of(const LoopNest& nest);

/// Symbol through which generated code reads a constant; its address is given when code is loaded.
/// Constants of one name are distinguished by their positions in `constants_of`.
std::string constant_symbol(const LoopNest& nest, const ConstantShape& constant);

/// "double qinf[4]"
std::string declaration_of(const ConstantShape& constant);

}  // namespace op2::jit
