// SPDX-License-Identifier: BSD-3-Clause
// The locations of a kernel's source lines in the user's files.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <op2/kernel.hpp>

namespace op2::jit {

struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;
  std::string text;  ///< the line, if the compiler has seen another one: of OP_KERNEL
};

/// Maps locations in the source of `kernel` to the file that declares it; reads that file once. The
/// file must contain the whole source, in a raw literal or line by line in ordinary ones; a match
/// of single lines does not count. Or the source is the text of OP_KERNEL, as the preprocessor has
/// made it of the file.
class SourceLocator {
 public:
  explicit SourceLocator(const op_kernel_core& kernel);
  SourceLocator(const SourceLocator&) = delete;

  /// @param line, column  1-based, in the kernel's source
  /// @return nothing if the file cannot be read or does not hold the source
  std::optional<SourceLocation> find(int line, int column) const;

 private:
  void find_lines();
  void find_macro();
  std::optional<SourceLocation> find_in_macro(int column) const;

  const op_kernel_core& kernel_;
  std::string_view source_;             ///< of the kernel, without the headers of an OP_KERNEL
  std::string content_;                 ///< of the file; empty if it cannot be read
  std::optional<std::size_t> literal_;  ///< where a raw literal of the whole source begins in it
  std::vector<std::size_t> lines_;      ///< otherwise the begin of each line after its indentation
  /// Of OP_KERNEL: tokens of the source, and those of `content_` that they come from, or empty.
  std::vector<std::string_view> tokens_, origins_;
};

}  // namespace op2::jit
