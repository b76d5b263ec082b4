// SPDX-License-Identifier: BSD-3-Clause
// The library with the variants of consistent_names.hpp, which is loaded when a variant or its
// version is asked for. libop2 does not need it otherwise.
#pragma once

#include <string>

namespace op2::jit {

inline constexpr const char* consistent_library = "libsleef.so.3";

/// Its handle, or null if it cannot be loaded. Thread safe. The first call takes a millisecond.
void* loaded_consistent_library();

/// Address of a variant in this process; null if there is none. Thread safe.
void* consistent_function(const std::string& symbol);

/// Why a symbol of consistent_names.hpp has no address, and what to do.
std::string missing_consistent_function(const std::string& symbol);

}  // namespace op2::jit
