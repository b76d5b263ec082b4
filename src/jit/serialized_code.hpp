// SPDX-License-Identifier: BSD-3-Clause
// The code of loops as bytes, for other processes: cache entries without the parts for display. As
// for entries on disk, comparing keys verifies that the bytes belong to their loop.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <jit/jit.hpp>
#include <jit/loop_builder.hpp>

namespace op2::jit {

/// One block per product, empty for an error, each after its length.
std::vector<std::byte> serialize(std::span<const Product> products);

/// The blocks of `count` loops in `bytes`; empty ones if the bytes are too short.
std::vector<std::span<const std::byte>> blocks_of(std::span<const std::byte> bytes,
                                                  std::size_t count);

/// Loads the code of a block. The addresses of constants are those of this process.
/// @throws Error link_failure; internal: the block has no code, or that of another loop
std::unique_ptr<const CompiledLoop> deserialize(const LoopRequest& request,
                                                std::span<const std::byte> block, Target& target,
                                                std::span<const Constant> declared);

}  // namespace op2::jit
