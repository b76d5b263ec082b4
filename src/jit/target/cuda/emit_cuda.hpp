// SPDX-License-Identifier: BSD-3-Clause
// The CUDA C++ of one loop: the kernels' sources and the functions that are launched.
#pragma once

#include <string>
#include <string_view>

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
/// @param ordered  all sums in order (kernel_parameters.hpp), for any `increments`; the nest does not
///                 gather
std::string emit_cuda(const LoopNest& nest, core::Increments increments = core::Increments::rows,
                      bool ordered = false);

/// The name of its op2_loop or op2_pull, for the same arguments.
std::string cuda_entry(const LoopNest& nest, core::Increments increments = core::Increments::rows,
                       bool ordered = false);

// The functions of a nest that a GPU launches (kernel_parameters.hpp).

/// How what elements add gets to rows through maps.
enum class Adding {
  atomically,
  by_rows,  ///< rows gather it (gather.hpp)
  in_order  ///< as parts that rows add in order; all sums and extremes are those of the CPU
};

/// op2_loop or op2_pull, op2_gather0 and so on, and op2_fold, as far as the nest has them.
/// Preconditions: `runs_on_device`. By rows: `can_pull`, or `can_gather`; in order:
/// bytes_of_sums <= most_bytes_of_sums.
std::string emit_kernels(const LoopNest& nest, Adding adding);

/// Followed by the call, a colon, and what its kernel's parameters must be.
inline constexpr const char* signature_mark = "op2 signature";

// The names of the functions that a GPU launches, which profilers show: a role, and the kernels of
// the loops: "op2_loop_res_calc", "op2_fold_update".

inline constexpr const char* cuda_loop_role = "op2_loop";
inline constexpr const char* cuda_pull_role = "op2_pull";
inline constexpr const char* cuda_fold_role = "op2_fold";

/// The role, and behind it the names of all kernels of the nest, as far as they fit into 100
/// characters: the same ones for every role, by which functions of one binary find each other.
std::string cuda_symbol(const char* role, const LoopNest& nest);

/// "op2_gather0": of the k-th of `added_dats`.
std::string gather_role(std::size_t k);

/// "_res_calc" of "op2_loop_res_calc": what the names of all functions of its binary end with.
/// @param symbol  cuda_symbol of op2_loop or op2_pull
std::string ending_of(const std::string& symbol);

/// Whether compiled code names a symbol: a cubin does so if it has it, PTX once where it defines
/// it, and again where it uses it. So the driver need not be asked for what code may not have,
/// which tools that watch its calls would show as an error.
/// @param image  a cubin or PTX
/// @param times  at least so often
bool names_symbol(std::string_view image, std::string_view symbol, int times = 1);

/// Whether the name is that of a kernel of the library, which is its function's: "op2_loop_...".
/// Those of programs do not begin so (source_scan.hpp).
bool is_library_symbol(const std::string& kernel);

}  // namespace op2::jit
