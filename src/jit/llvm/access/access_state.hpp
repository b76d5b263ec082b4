// SPDX-License-Identifier: BSD-3-Clause
// What is known about a kernel's arguments at one point of the kernel.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <variant>
#include <vector>

#include <clang/AST/Decl.h>
#include <clang/Basic/SourceLocation.h>

namespace op2::jit {

/// A pointer into the data of a parameter.
struct DataPointer {
  std::size_t parameter = 0;
  bool to_rows = false;  ///< a T**: `row` counts, `component` does not
  std::optional<std::int64_t> row = 0;
  std::optional<std::int64_t> component = 0;  ///< nothing: unknown
  bool operator==(const DataPointer&) const = default;
};

/// One number in the data of a parameter, which a pointer to numbers points to.
struct DataPlace {
  DataPointer pointer;
  bool operator==(const DataPlace&) const = default;
};

/// What is known of a local variable: a number, a pointer, or the target of a reference.
using LocalValue = std::variant<std::monostate, std::int64_t, DataPointer, DataPlace>;

enum class Mark {
  untouched,
  maybe,  ///< written on some paths
  unsure,
  written,
  again  ///< written where it was `maybe`: perhaps on the other paths
};

struct AccessState {
  std::vector<std::vector<Mark>> marks;  ///< shape [parameters][rows * components, at least 1]
  std::vector<std::vector<bool>> sure;   ///< written on every path to this point; shape of marks
  std::map<const clang::VarDecl*, LocalValue> locals;
  bool live = true;  ///< this point is reachable

  /// Both paths may have been taken.
  void join(const AccessState& other) { merge(other, Mark::maybe); }
  /// The same, if one of them may never be taken.
  void join_unsure(const AccessState& other) { merge(other, Mark::unsure); }

 private:
  void merge(const AccessState& other, Mark different);
};

/// The extent of a parameter's data; -1: unknown.
struct Extent {
  std::int64_t rows = 1;
  std::int64_t components = -1;
  bool is_there = false;  ///< the pointer is known not to be null
};

enum class WriteKind { assign, increment, update };

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
  clang::SourceLocation computed;  ///< a change by its value before, such as `+=` or `*=`
  clang::SourceLocation other_than_zero;  ///< a change that does not set it to a constant zero
  clang::SourceLocation beyond;
  std::int64_t beyond_index = 0;
  bool beyond_always = false;  ///< whatever the data, if the kernel gets as far as that
  std::vector<Mark> marks;     ///< at the end
};

/// Follows a kernel through its branches, loops with constant bounds and helpers.
/// @param extents     of each parameter
/// @param most_steps  limit of statements and expressions; beyond it everything is unsure
std::vector<ParameterUse> uses_of(const clang::FunctionDecl& kernel,
                                  const std::vector<Extent>& extents, int most_steps);

}  // namespace op2::jit
