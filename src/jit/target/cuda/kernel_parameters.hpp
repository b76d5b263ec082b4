// SPDX-License-Identifier: BSD-3-Clause
// The contract between the kernels that are generated for a GPU and the executor that launches
// them: shapes of launches and lists of parameters. Functions are called by their roles here; their
// names go on (emit_cuda.hpp).
//
// op2_loop executes the elements [op2_begin, op2_end) of a set. Of these, elements from op2_counted
// on do not contribute to reductions.
//   * Without reductions: one thread for each element, ceil((end - begin) / block_threads) blocks.
//   * With reductions: block k executes the elements [begin + k * chunk, ...) up to its next, with
//     chunk = chunk_elements(ordered), and stores their partial results. op2_fold, one block, folds
//     the partial results of all chunks into the result. Both in fixed trees: bits depend on begin,
//     end and counted only.
// op2_pull is there instead of op2_loop if rows gather what elements add to them (gather.hpp).
// It executes the rows at positions [op2_begin, op2_end) of a list, and for each row the elements
// that add to it. What is said of elements above holds for positions, but op2_counted is an
// element. If rows gather the increments of loops before the nest's own kernels (gather.hpp),
// positions are rows, and op2_counted is a row. All kernels are launched with block_threads threads
// and without dynamic shared memory.
//
// Sums in order are sums whose bits depend on no order of execution (docs/reproducibility.md). What
// an element adds to rows through maps is made from zero and stored in *parts*; when all are there,
// op2_gather0 and so on, one for each of `added_dats`, add the parts to the rows in the order that
// the executor has found, one thread for each value. Their parameters of 8 bytes: the number of
// values (rows x dim); the dat; its parts; the rows; for each of them where its parts begin in the
// next list, and the end; the parts. Sums of float and double over elements are added as integers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <jit/loop_nest.hpp>

namespace op2::jit {

inline constexpr unsigned block_threads = 256;

/// Of loops with reductions. One element for each thread of a block, but for exact sums
///, of which a partial result has hundreds of bytes.
constexpr std::int64_t chunk_elements(bool ordered) {
  return ordered ? 2048 : block_threads;
}

/// Of the address of a dat, in bytes.
inline constexpr int dat_alignment = 16;

/// A parameter of a kernel; all are 8 bytes: addresses on the device, or long long.
struct KernelParameter {
  enum class Kind {
    dat,          ///< T*, shape [rows x dim]
    column,       ///< const int*, a column of a map: the entry of element e at [e]
    row_numbers,  ///< const int*, shape [rows]: the index that the kernel gets for a row, or null
                  ///< for the row itself
    order,     ///< const int*, shape [rows of the set]: the global index of each element, or null
               ///< for the row itself; of payloads
    global,    ///< const T*, shape [dim]: a value that is read
    result,    ///< T*, shape [dim]: of a reduction; holds its start value. Of a payload: its values
               ///< and, at the next multiple of 8 bytes, the global index of their element, or -1
               ///< Of an exact sum: long long*, shape [dim x words]
    partials,  ///< shape [chunks]: the same of the chunks
    second,    ///< T*, shape [rows x dim]: where rows of a moved dat go (gather.hpp)
    parts,     ///< T*: what elements add to a dat
    pull_rows,     ///< const int*: the row at each position; null: the position itself
    pull_start,    ///< const int*: where the elements of the row at position p begin in the next
                   ///< list, at [p - op2_begin]; one more at the end
    pull_elements  ///< const int*: the elements that add to a row, each once, ascending
  };
  Kind kind = Kind::dat;
  std::size_t arg = 0;  ///< position in the nest's arguments; of a dat or column, of the first use;
                        ///< of lists the number of the loop whose elements they have
  bool operator==(const KernelParameter&) const = default;
};

/// Whether an argument is a reduction. Precondition: the nest is `runs_on_device`.
bool is_reduction(const ArgShape& arg);

/// Whether a GPU can execute a nest of these arguments: no global is set by single elements, except
/// payloads that may be set in any order.
/// Loops whose elements must be executed in order are not recognised here.
bool runs_on_device(std::span<const ArgShape> args);

/// The parameters of op2_loop, after op2_begin, op2_end and op2_counted, all three long long.
std::vector<KernelParameter> kernel_parameters(std::span<const ArgShape> args);

/// The parameters of op2_pull, after the same three. Precondition: `can_pull`, or `can_gather`.
/// @param gathered  of the nest
std::vector<KernelParameter> pull_parameters(std::span<const ArgShape> args,
                                             std::span<const std::int32_t> gathered);

/// The parameters of op2_loop with sums in order: kernel_parameters, then the parts of each of
/// `added_dats`.
std::vector<KernelParameter> ordered_parameters(std::span<const ArgShape> args);

/// The parameters of op2_fold, after op2_chunks (long long): result and partials of each reduction.
/// Empty: there is no op2_fold.
std::vector<KernelParameter> fold_parameters(std::span<const ArgShape> args);

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

}  // namespace op2::jit
