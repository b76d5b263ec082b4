// SPDX-License-Identifier: BSD-3-Clause
// What the cache's key of a loop is made from.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <jit/backend.hpp>
#include <jit/cache_entry.hpp>
#include <jit/jit.hpp>
#include <jit/loop_nest.hpp>

namespace op2::jit {

/// @param units    what emit_cpu made of `nest`; their hash is in the key, beside the library's
///                 version and the entry's format, so that code of another version is never taken
///                 for this one's
/// @param options  flags of the compilation that shape code
KeyFields fields_of(const LoopNest& nest, const std::vector<std::string>& units,
                    const TargetInfo& target, const std::string& options);

/// `options` of a compilation.
std::string words_of(const Sanitizers& sanitizers);
std::string words_of(const JitOptions& options);

/// The declared constants that the kernels name, variables of the program excepted.
std::vector<ConstantUse> constants_used(const LoopNest& nest);

/// Gives the kernels those of the constants `used` that are among `declared`, instead of those that
/// they have.
void use_constants(LoopNest& nest, std::span<const ConstantUse> used,
                   std::span<const Constant> declared);

}  // namespace op2::jit
