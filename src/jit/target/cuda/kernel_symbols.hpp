// SPDX-License-Identifier: BSD-3-Clause
// The names of the functions that a GPU launches, which profilers show: a role, and the kernels of
// the loops: "op2_loop_res_calc", "op2_fold_update".
#pragma once

#include <string>
#include <string_view>

#include <jit/loop_nest.hpp>

namespace op2::jit {

inline constexpr const char* cuda_loop_role = "op2_loop";
inline constexpr const char* cuda_pull_role = "op2_pull";
inline constexpr const char* cuda_fold_role = "op2_fold";

/// The role, and behind it the names of all kernels of the nest, as far as they fit into 100
/// characters: the same ones for every role, by which functions of one binary find each other.
std::string cuda_symbol(const char* role, const LoopNest& nest);

/// "op2_gather0": the k-th of ordered_sums.hpp.
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
/// Those of programs do not begin so (reserved_names.hpp).
bool is_library_symbol(const std::string& kernel);

}  // namespace op2::jit
