// SPDX-License-Identifier: BSD-3-Clause
// Sums of a thread that are rounded once: terms are collected in a block, and whole blocks are
// added to exact sums. Local.
#pragma once

#include <cstddef>
#include <span>

#include <op2/types.hpp>

#include <core/exact_sum.hpp>
#include <core/loop_abi.hpp>

namespace op2::core {

/// Memory for a block and its sums, a multiple of 64 bytes: 8.7 KB for each double.
/// Precondition: is_rounded(type).
std::size_t term_block_bytes(Type type, int dim);

/// Makes the block at an address, of which that many bytes are aligned to 64: no terms, all sums
/// zero.
void start_terms(std::byte* block, Type type, int dim);

/// Adds the terms of one block, and its sums, to those of another of equal type and dim.
void merge_terms(std::byte* from, std::byte* into);

/// The sums of all terms, shape [dim].
template <class T>
std::span<ExactSum<T>> sums_of(std::byte* block);

}  // namespace op2::core
