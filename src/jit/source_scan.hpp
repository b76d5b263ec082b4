// SPDX-License-Identifier: BSD-3-Clause
// What is known of a kernel's source without a compiler: the names in it, which names have a
// meaning of their own, and the files that it includes.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <jit/loop_nest.hpp>

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

using Tokens = std::span<const std::string_view>;

/// Whether it begins a name: a letter or an underscore.
bool is_name(std::string_view token);

/// The position of the bracket that closes the one at `open`; the end if there is none.
std::size_t closing(Tokens tokens, std::size_t open);

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

// Names that a kernel or a constant cannot have, because they have another meaning in generated
// code.

/// Keywords of C++, functions and macros of the supplied headers, `main`, `std`, and names that
/// begin with `op2_` or `__`. For constants; a kernel may be called `log`.
bool is_reserved(std::string_view name);

/// The subset that kernels cannot have either.
bool is_reserved_for_functions(std::string_view name);

bool is_keyword(std::string_view name);

}  // namespace op2::jit
