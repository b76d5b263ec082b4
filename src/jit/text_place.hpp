// SPDX-License-Identifier: BSD-3-Clause
// Where the lines of a kernel's text stand in the user's files.
#pragma once

#include <optional>
#include <string>

#include <op2/kernel.hpp>

namespace op2::jit {

struct Place {
  std::string file;
  int line = 0;
  int column = 0;
};

/// Finds places of the text of `kernel` in the file that declares it; reads that file once.
class TextPlaces {
 public:
  explicit TextPlaces(const op_kernel_core& kernel);

  /// @param line, column  1-based, in the kernel's text
  /// @return nothing if the file cannot be read or does not hold that line
  std::optional<Place> find(int line, int column) const;

 private:
  std::optional<Place> find_in_literal(int line, int column) const;
  std::optional<Place> find_line(int line, int column) const;

  const op_kernel_core& kernel_;
  std::string content_;  ///< of the file; empty if it cannot be read
};

}  // namespace op2::jit
