// SPDX-License-Identifier: BSD-3-Clause
// What the cache's key of a loop is made from.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <jit/backend.hpp>
#include <jit/cache_entry.hpp>
#include <jit/jit.hpp>
#include <jit/loop_shape.hpp>

namespace op2::jit {

/// @param source   what emit_cpu made of `shape`; its hash is in the key, beside the library's
///                 version and the entry's format, so that code of another version is never taken
///                 for this one's
/// @param options  flags of the compilation that shape code
KeyFields fields_of(const LoopShape& shape, const std::string& source, const TargetInfo& target,
                    const std::string& options);

/// `options` of a compilation.
std::string words_of(const Sanitizers& sanitizers);
std::string words_of(const JitOptions& options);

/// The declared constants of the shape from which `fields_of` made the fields, as far as they are
/// among `declared`; sorted by name.
std::vector<ConstantShape> constants_in(const KeyFields& fields,
                                        std::span<const Constant> declared);

}  // namespace op2::jit
