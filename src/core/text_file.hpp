// SPDX-License-Identifier: BSD-3-Clause
// Reads a whole file.
#pragma once

#include <optional>
#include <string>

namespace op2::core {

/// The content of a file; nothing, and errno set, if it cannot be read or is a folder.
std::optional<std::string> read_file(const char* path);

}  // namespace op2::core
