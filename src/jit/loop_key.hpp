// SPDX-License-Identifier: BSD-3-Clause
// What the cache's key of a loop is made from.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <jit/cache_entry.hpp>
#include <jit/loop_request.hpp>
#include <jit/target/target.hpp>

namespace op2::jit {

/// The fields that the nest alone decides.
void add_nest(KeyFields& fields, const LoopNest& nest);

/// @param units  what `target` made of the nest; their hash is in the key, beside the library's
///               version and the entry's format, so that code of another version is never taken
///               for this one's
/// @param flags  further options of the compilation that shape the entry
KeyFields fields_of(const LoopNest& nest, const std::vector<std::string>& units,
                    const Target& target, const std::string& flags);

/// The declared constants that the kernels name, variables of the program excepted.
std::vector<ConstantUse> constants_used(const LoopNest& nest);

/// Gives the kernels those of the constants `used` that are among `declared`, instead of those that
/// they have.
void use_constants(LoopNest& nest, std::span<const ConstantUse> used,
                   std::span<const Constant> declared);

}  // namespace op2::jit
