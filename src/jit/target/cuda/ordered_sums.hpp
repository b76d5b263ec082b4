// SPDX-License-Identifier: BSD-3-Clause
// Sums whose bits depend on no order of execution (docs/reproducibility.md), on a GPU. What an
// element adds to rows through maps is made from zero and stored in *parts*; when all are there,
// each row adds its parts in the order that the executor has found. Sums of float and double over
// elements are added as integers.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <jit/loop_nest.hpp>
#include <jit/target/cuda/kernel_parameters.hpp>

namespace op2::jit {

/// A dat to which a nest adds through maps, and does nothing else with it.
struct AddedDat {
  std::size_t arg = 0;  ///< the first of the dat
  /// The first argument of each column of a map, in the order of the arguments. Part c of element e
  /// is row e * columns.size() + c of the dat's parts.
  std::vector<std::size_t> columns{};
};

/// In the order of their first arguments.
std::vector<AddedDat> added_dats(std::span<const ArgShape> args);

/// A sum of float or double that is rounded once.
bool is_exact_sum(const ArgShape& arg);

/// The integers of one component of such a sum (core::ExactSum::to_words).
std::size_t words_of_sum(Type type);

/// Bytes of the memory of a block that exact sums need.
std::size_t bytes_of_sums(std::span<const ArgShape> args);

/// Blocks have 48 KB; the rest is for other reductions.
inline constexpr std::size_t most_bytes_of_sums = std::size_t{40} << 10;

/// op2_loop, and for each of `added_dats` op2_gather0 and so on, which adds the parts to the rows,
/// one thread for each value. Its parameters of 8 bytes: the number of values (rows x dim); the
/// dat; its parts; the rows; for each of them where its parts begin in the next list, and the end;
/// the parts. Precondition: `runs_on_device`, and bytes_of_sums <= most_bytes_of_sums.
std::string ordered_kernels(const LoopNest& nest);

/// The parameters of op2_loop: kernel_parameters, then the parts of each of `added_dats`.
std::vector<KernelParameter> ordered_parameters(std::span<const ArgShape> args);

}  // namespace op2::jit
