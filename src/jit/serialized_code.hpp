// SPDX-License-Identifier: BSD-3-Clause
// The code of loops as bytes, for other processes: entries of the cache without what only people
// read. The bytes are proven to be of their loop as an entry on disk is: by comparing keys.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <jit/jit.hpp>
#include <jit/loop_builder.hpp>

namespace op2::jit {

/// One block per product, empty for a product that is an error, each with its length in front.
std::vector<std::byte> serialize(std::span<const Product> products);

/// The blocks of `count` loops, inside of `bytes`. Empty ones where the bytes are too short.
std::vector<std::span<const std::byte>> blocks_of(std::span<const std::byte> bytes,
                                                  std::size_t count);

/// Loads the code of a block. The addresses of constants are this process's own.
/// @throws Error link_failure; internal: there is no code in the block, or that of another loop
std::unique_ptr<const CompiledLoop> deserialize(const LoopRequest& request,
                                                std::span<const std::byte> block, Target& target,
                                                std::span<const Constant> declared);

}  // namespace op2::jit
