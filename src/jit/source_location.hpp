// SPDX-License-Identifier: BSD-3-Clause
// Where the lines of a kernel's source stand in the user's files.
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

/// Finds locations in the source of `kernel` in the file that declares it; reads that file once.
/// The source must stand there as a whole, in a raw literal or line by line in ordinary ones;
/// single lines that look alike are not believed.
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
  std::vector<std::size_t> lines_;      ///< else where each line begins, after its indentation
};

}  // namespace op2::jit
