// SPDX-License-Identifier: BSD-3-Clause
// Sums of a thread that are rounded once: compiled code collects the terms of some hundred
// elements, which are then added to exact sums. Local.
#pragma once

#include <cstddef>
#include <span>

#include <op2/types.hpp>

#include <core/exact_sum.hpp>
#include <core/loop_abi.hpp>

namespace op2::core {

/// Memory for a block, a multiple of 64 bytes: about 0.4 KB for each double.
/// Precondition: is_rounded(type).
std::size_t term_block_bytes(Type type, int dim);

/// Makes the block at an address, of which that many bytes are aligned to 64: all sums are zero.
void start_terms(std::byte* block, Type type, int dim);

/// Adds the sums of one block to those of another of equal type and dim.
void merge_terms(std::byte* from, std::byte* into);

/// The sums of all terms, shape [dim].
template <class T>
std::span<ExactSum<T>> sums_of(std::byte* block);

}  // namespace op2::core
