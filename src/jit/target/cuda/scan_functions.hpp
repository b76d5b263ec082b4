// SPDX-License-Identifier: BSD-3-Clause
// The functions of a source, found without a compiler: for messages about a kernel that does not
// match its loop.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <jit/signature.hpp>

namespace op2::jit {

/// A note at an offset of a source.
/// @param file  the name of the source
Diagnostic note_in(const std::string& source, std::size_t offset, const std::string& file,
                   const std::string& words);

/// The functions that a source defines at file scope and in namespaces, in order. Types are not
/// known: parameters have no pointee. Macros are not expanded, so functions that they make are not
/// found.
/// @param file  of the notes about their places
std::vector<FunctionForm> scan_functions(const std::string& source, const std::string& file);

}  // namespace op2::jit
