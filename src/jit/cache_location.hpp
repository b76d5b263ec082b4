// SPDX-License-Identifier: BSD-3-Clause
// Where the cache of compiled kernels is.
#pragma once

#include <string>

namespace op2::jit {

/// The directory to use: `configured` if not empty, otherwise op2 under $XDG_CACHE_HOME, otherwise
/// .cache/op2 under $HOME if that exists; without trailing slashes. Empty if there is none
/// (relative paths in variables are ignored), or if the program has more privileges than its user.
std::string cache_location(const std::string& configured);

/// Creates the directory with mode 0700, and missing parents.
/// @return  which of them cannot be created, and why; empty if there is no such problem. The
/// directory may exist nevertheless.
std::string make_cache_directory(const std::string& path);

/// The parent of `path` in which any user could replace it by another directory; empty if there is
/// none.
std::string exposed_parent(const std::string& path);

}  // namespace op2::jit
