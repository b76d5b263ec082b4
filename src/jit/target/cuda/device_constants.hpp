// SPDX-License-Identifier: BSD-3-Clause
// Variables on a device that hold the constants that kernels read. Each is in a separate namespace,
// because constants of two kernels may have one name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <jit/loop_nest.hpp>

namespace op2::jit {

/// "op2_constants0", by the position in `constants_of`.
std::string constant_namespace(const LoopNest& nest, const ConstantShape& constant);

/// Definitions of the constants of a nest: in constant memory as far as that is large enough (64
/// KB), the others in global memory.
std::string constant_definitions(const LoopNest& nest);

/// Whether a cubin or PTX has a constant of this symbol. PTX also reads it: of variables that are
/// only defined, the driver may make nothing.
bool reads_constant(std::string_view image, const std::string& device_symbol);

/// The same, whatever its symbol is.
bool reads_constant(std::string_view image, std::size_t position);

/// The symbol of a variable in compiled code: what NVRTC calls its lowered name. It is local to the
/// code, as that of any variable which NVRTC's own name expressions name; the driver finds it.
/// @param position  of the constant in `constants_of`
/// @param symbol    the `constant_symbol` of the constant
std::string device_symbol(std::size_t position, const std::string& symbol);

}  // namespace op2::jit
