// SPDX-License-Identifier: BSD-3-Clause
// The locations of a kernel's source lines in the user's files.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <op2/kernel.hpp>

namespace op2::jit {

struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;
};

/// Maps locations in the source of `kernel` to the file that declares it; reads that file once. The
/// file must contain the whole source, in a raw literal or line by line in ordinary ones; a match
/// of single lines does not count.
class SourceLocator {
 public:
  explicit SourceLocator(const op_kernel_core& kernel);

  /// @param line, column  1-based, in the kernel's source
  /// @return nothing if the file cannot be read or does not hold the source
  std::optional<SourceLocation> find(int line, int column) const;

 private:
  void find_lines();

  const op_kernel_core& kernel_;
  std::string content_;                 ///< of the file; empty if it cannot be read
  std::optional<std::size_t> literal_;  ///< where a raw literal of the whole source begins in it
  std::vector<std::size_t> lines_;      ///< otherwise the begin of each line after its indentation
};

}  // namespace op2::jit
