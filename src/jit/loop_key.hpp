// SPDX-License-Identifier: BSD-3-Clause
// The fields of a loop's cache key.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <jit/cache_entry.hpp>
#include <jit/loop_request.hpp>
#include <jit/target/target.hpp>

namespace op2::jit {

/// Sets the fields that depend on the nest only.
void add_nest(KeyFields& fields, const LoopNest& nest);

/// @param units  that `target` emitted for the nest; their hash is in the key, with the library's
///               version and the entry's format, so that code of another version is never used
/// @param flags  further compile flags that affect the entry
KeyFields fields_of(const LoopNest& nest, const std::vector<std::string>& units,
                    const Target& target, const std::string& flags);

/// The declared constants that the kernels name, without variables of the program.
std::vector<ConstantUse> constants_used(const LoopNest& nest);

/// Replaces the kernels' constants by those of `used` that are in `declared`.
void use_constants(LoopNest& nest, std::span<const ConstantUse> used,
                   std::span<const Constant> declared);

}  // namespace op2::jit
