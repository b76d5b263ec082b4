// SPDX-License-Identifier: BSD-3-Clause
// Reading a file as a whole.
#pragma once

#include <optional>
#include <string>

namespace op2::core {

/// The content of a file, or nothing and errno. A folder has none.
std::optional<std::string> read_file(const char* path);

}  // namespace op2::core
