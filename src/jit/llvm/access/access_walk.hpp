// SPDX-License-Identifier: BSD-3-Clause
// How a kernel uses each of its parameters, found by executing it symbolically.
#pragma once

#include <cstdint>
#include <vector>

#include <clang/AST/Decl.h>
#include <clang/Basic/SourceLocation.h>

namespace op2::jit {

/// The extent of a parameter's data; -1: unknown.
struct Extent {
  std::int64_t rows = 1;
  std::int64_t components = -1;
  bool is_there = false;  ///< the pointer is known not to be null
};

/// What happened to one number of a parameter.
enum class Mark {
  untouched,
  maybe,  ///< written on some paths
  unsure,
  written,
  again  ///< written where it was `maybe`: perhaps on the other paths
};

/// The use of one parameter by a kernel. Invalid locations: there is no such use.
struct ParameterUse {
  bool unsure = false;               ///< some use of it cannot be followed
  bool doubted = false;              ///< there may be other uses than those recorded here
  clang::SourceLocation doubt;       ///< where that is, if it is one place
  clang::SourceLocation read_early;  ///< where the value before may be read
  clang::SourceLocation inexact;  ///< an increment that is not an addition in the parameter's type
  std::int64_t missed = -1;       ///< numbers that some path does not write; -1: unknown
  clang::SourceLocation read;
  clang::SourceLocation read_untouched;  ///< before anything was written there
  clang::SourceLocation write;
  clang::SourceLocation assign;           ///< or any other change but an increment
  bool lowers = false, raises = false;    ///< some change takes a minimum, a maximum
  bool only_extremes = true;              ///< no change does anything else
  clang::SourceLocation computed;         ///< a change by its value before, such as `+=` or `*=`
  clang::SourceLocation other_than_zero;  ///< a change that does not set it to a constant zero
  clang::SourceLocation beyond;
  std::int64_t beyond_index = 0;
  bool beyond_always = false;  ///< whatever the data, if the kernel gets as far as that
  std::vector<Mark> marks;     ///< at the end
};

/// Follows a kernel through its branches, loops with constant bounds and helpers, for 20 ms at
/// most: beyond a limit of statements and expressions everything is unsure.
/// @param extents  of each parameter
std::vector<ParameterUse> uses_of(const clang::FunctionDecl& kernel,
                                  const std::vector<Extent>& extents);

}  // namespace op2::jit
