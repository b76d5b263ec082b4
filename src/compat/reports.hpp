// SPDX-License-Identifier: BSD-3-Clause
// Files that one rank writes for all.
#pragma once

#include <functional>
#include <string>

#include <api/runtime.hpp>

namespace op2::compat {

/// Writes a file on the root. Collective.
/// @param path  equal on all ranks
/// @throws Error bad_name, io_failure; on all ranks
void write_on_root(api::Runtime& runtime, const char* function, const char* path,
                   const std::function<std::string()>& text);

}  // namespace op2::compat
