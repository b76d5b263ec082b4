// SPDX-License-Identifier: BSD-3-Clause
// Tells perf of loaded code, by the file that it reads for compilers at run time.
#pragma once

#include <string>

#include <jit/code_symbols.hpp>

namespace op2::jit {

/// Appends a line per function to `path`: begin, size, name. Code that is unmapped stays in it, as
/// perf wants it. @return false if the file cannot be written
bool tell_perf(const CodeSymbols& code, const std::string& path);

/// The file of this process: "/tmp/perf-1234.map".
std::string perf_map_path();

}  // namespace op2::jit
