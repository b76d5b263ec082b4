// SPDX-License-Identifier: BSD-3-Clause
// The source of a kernel as a part of a text with others: in a namespace, with own names for the
// files that it includes, and without its macros after it. So helpers, types, macros and files of
// kernels neither clash nor are seen by each other, and CUDA's own functions and types (norm,
// double2) can be names of the source's.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
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

}  // namespace op2::jit
