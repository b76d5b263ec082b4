// SPDX-License-Identifier: BSD-3-Clause
// What this library is: the answer to --op2-version.
#pragma once

#include <string>

namespace op2::api {

/// The version, the compiler, and a line for each optional part: its version, or that it is
/// missing.
std::string version_text();

/// Paths of other libraries libop2 in this process, separated by commas: parts of the program were
/// built with other versions, which have their own sessions. Empty if there are none.
std::string other_versions();

}  // namespace op2::api
