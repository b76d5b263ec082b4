// SPDX-License-Identifier: BSD-3-Clause
// The code of loops as bytes, for other processes: entries of the cache without what only people
// read. A parcel is proven to be of its loop as an entry on disk is: by comparing keys.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <jit/backend.hpp>
#include <jit/jit.hpp>
#include <jit/loop_builder.hpp>

namespace op2::jit {

/// One parcel per product, empty for a product that is an error, each with its length in front.
std::vector<std::byte> pack(std::span<const Product> products);

/// Parcels of `count` loops, inside of `bytes`. Empty ones where the bytes are too short.
std::vector<std::span<const std::byte>> unpack(std::span<const std::byte> bytes, std::size_t count);

/// Links the code of a parcel. The addresses of constants are this process's own.
/// @throws Error link_failure; internal: there is no code in the parcel, or that of another loop
std::unique_ptr<const CompiledLoop> adopt(const LoopRequest& request,
                                          std::span<const std::byte> parcel, Backend& backend,
                                          const JitOptions& options,
                                          std::span<const Constant> declared);

}  // namespace op2::jit
