// SPDX-License-Identifier: BSD-3-Clause
// The contract between the library and the code it generates. The emitted text repeats this struct.
#pragma once

#include <cstdint>

namespace op2::core {

/// What a range function needs of one loop argument at run time. Dims, packed strides and the
/// access pattern are compiled in; this is what depends on the mesh and its partition.
struct ArgBinding {
  /// Dat: its first row, shape [rows x dim]. Global: the thread's own block, shape [dim].
  /// Index argument: `const std::int32_t*`, the index that the kernel gets for each local row,
  /// shape [rows]; null: the row itself. An argument that is off: null. A payload that is set in
  /// any order: the values, shape [dim], and from the next multiple of 8 bytes on the global index
  /// of the element that they are from, std::int64_t, or -1.
  void* base;
  /// Indirect: the map entry of element 0 in the argument's column; of element e it is
  /// index[e * index_stride]. Direct: null. A payload that is set in any order: the global
  /// index of each local row of the loop's set; null: the row itself.
  const std::int32_t* index;
  std::int64_t index_stride;
};

/// Terms of a sum, cut into integers (core/exact_sum.hpp): generated code does that as it makes
/// them, so that few need memory.
struct TermCut {
  double places[3];       ///< what is added to a term to cut it, twice or thrice; the library's
  std::uint64_t sums[3];  ///< of the bits of what comes out; these wrap around
  std::int64_t terms;     ///< that were cut; the library sets it to 0 when it has added the sums
  std::int64_t deep;      ///< of them: those that were cut thrice
};

/// In reproducible code, the thread's own block of a sum of float or double. What is behind it is
/// the library's (core/exact_sum.hpp).
struct TermBlock {
  /// Adds what has been cut (`cuts`), and `count` terms more, to each component's sum.
  /// @param terms  of the type, shape [dim x stride]
  void (*add)(TermBlock* block, const void* terms, std::int64_t stride,
              std::int64_t count) noexcept;
  TermCut* cuts;  ///< shape [dim]; all have the same `terms`
};

/// Which of 64 elements in a row add to slots of a dat instead of its rows.
struct SlottedElements {
  std::uint64_t which;  ///< bit k: the k-th of them
  /// Their targets, shape [bits that are set x arity of the map]: a row, or slot - slots, which is
  /// negative.
  const std::int32_t* targets;
};

/// Executes elements [begin, end) of a loop's set, in ascending order, with one binding per
/// argument. Reproducible code has more: one for each argument that adds to rows and may do so in
/// slots (jit/loop_nest.hpp). Its base is the end of the dat's slots, shape [slots x dim]. Its
/// index is the address of the SlottedElements of elements [0, 64), [64, 128), ...; null: no
/// element has slots.
using RangeFunction = void (*)(std::int64_t begin, std::int64_t end, const ArgBinding* args);

/// Of an element of a loop whose floating-point operations nobody has counted.
inline constexpr double unknown_flops = -1;

}  // namespace op2::core
