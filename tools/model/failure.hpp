// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

namespace op2::model {

/// What ends a command, with exit code 2: says what is wrong, with the file, the numbers and what
/// to do.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The content of a file. @throws Failure
std::string text_of_file(const std::string& path);

/// Writes a file that is complete or absent. @throws Failure
void write_file(const std::string& path, const std::string& text);

}  // namespace op2::model
