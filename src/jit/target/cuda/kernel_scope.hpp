// SPDX-License-Identifier: BSD-3-Clause
// The source of a kernel as a part of a text with others: in a namespace, with own names for the
// files that it includes, and without its macros after it. So helpers, types, macros and files of
// kernels neither clash nor are seen by each other, and CUDA's own functions and types (norm,
// double2) can be names of the source's.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <jit/loop_nest.hpp>

namespace op2::jit {

/// "op2_kernel0"
std::string kernel_namespace(std::size_t call);

/// The name of a kernel's source or of a file that it includes, in `#line` and `#include`:
/// "op2_call0/adt_calc".
std::string scoped_name(std::size_t call, const std::string& name);

/// The call and the name that make a scoped name; nothing for other names.
std::optional<std::pair<std::size_t, std::string>> unscoped(const std::string& name);

/// The included files of all kernels under their scoped names.
std::vector<IncludedFile> scoped_files(const LoopNest& nest);

/// `#include` of the standard headers that kernels use. They must be read at file scope, before the
/// sources are.
std::string standard_includes(const LoopNest& nest);

/// The namespace, after which the file is called `generated_file`. Lines of the source keep their
/// numbers.
std::string kernel_scope(const LoopNest& nest, std::size_t call);

// Variables on a device that hold the constants that kernels read. Each is in a separate namespace,
// because constants of two kernels may have one name.

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
