// SPDX-License-Identifier: BSD-3-Clause
// Scans a kernel's source without a compiler: the names in it and the files that it includes.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <jit/loop_nest.hpp>
#include <jit/remote/compile_limit.hpp>

namespace op2::jit {

/// Of one file that a kernel includes.
inline constexpr std::size_t most_bytes_of_include = std::size_t{16} << 20;

struct SourceScan {
  std::set<std::string, std::less<>> identifiers;
  std::vector<std::string> includes;  ///< names between quotes, in order; never those in <>
  /// Everything but comments, as parts of the source, in order: words, numbers, literals, single
  /// characters, and the beginnings of directives; `#include <...>` and `#line` extend to the end
  /// of their lines.
  std::vector<std::string_view> tokens;
};

/// Skips comments, literals and numbers. Expands no macros and evaluates no conditions, so it may
/// find more names than the compiler, and fewer only if macros make names (`a##b`) or are included
/// files.
SourceScan scan_source(std::string_view text);

/// The source without the headers that OP_KERNEL puts before it: what follows `#line 1`, from which
/// on compilers count lines. A part of `source`.
std::string_view lines_that_count(std::string_view source);

/// The macros that a source defines, in order; also in parts that conditions exclude. They are
/// parts of `text`.
std::vector<std::string_view> macros_in(std::string_view text);

/// The files that `source` includes, directly or not, sorted by name, which is their path relative
/// to `folder`. Names are looked up in the folder of the including file, then in `folder`; missing
/// files are left to the compiler.
/// @param limit  of all files together
/// @throws Error kernel_include  for a file that is too large, a FIFO or a device; kernel_limits
std::vector<IncludedFile> read_includes(std::string_view text, const std::string& folder,
                                        const CompileLimit& limit = {});

/// The identifiers in `source` and in the included files.
std::set<std::string, std::less<>> identifiers_in(std::string_view text,
                                                  std::span<const IncludedFile> includes);

}  // namespace op2::jit
