// SPDX-License-Identifier: BSD-3-Clause
// The CUDA C++ of one loop: the kernels' sources and the functions that are launched.
#pragma once

#include <string>

#include <core/options.hpp>
#include <jit/loop_nest.hpp>

namespace op2::jit {

/// One text in C++20 that includes `device_headers` and `scoped_files`. It defines op2_loop, or
/// op2_pull if the nest gathers or `pulls`, and, for a nest with reductions, op2_fold, as in
/// kernel_parameters.hpp. Comparisons of the kernels' parameters with the arguments fail with
/// messages that `signature_mark` begins. Equal nests yield equal texts.
/// Precondition: `runs_on_device`.
///
/// A nest without arguments whose kernel `is_library_symbol` is a kernel of the library: its source
/// is the text, with its parameters.
/// @param ordered  all sums as in ordered_sums.hpp, for any `increments`; the nest does not gather
std::string emit_cuda(const LoopNest& nest, core::Increments increments = core::Increments::rows,
                      bool ordered = false);

/// The name of its op2_loop or op2_pull, for the same arguments.
std::string cuda_entry(const LoopNest& nest, core::Increments increments = core::Increments::rows,
                       bool ordered = false);

/// Followed by the call, "result", "count", or a parameter and "form" or "const".
inline constexpr const char* signature_mark = "op2 signature";

}  // namespace op2::jit
