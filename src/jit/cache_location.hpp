// SPDX-License-Identifier: BSD-3-Clause
// Where the cache of compiled kernels is.
#pragma once

#include <string>

namespace op2::jit {

/// The directory that is asked for: `configured` if not empty, else op2 under $XDG_CACHE_HOME, else
/// .cache/op2 under $HOME if that exists; without final slashes. Empty if there is none (a relative
/// path in a variable does not count), or if the program runs with more rights than its user.
std::string cache_location(const std::string& configured);

/// Makes the directory, mode 0700, and what is missing of its parents; an error shows when it is
/// opened.
void make_cache_directory(const std::string& path);

/// The parent of `path` in which everybody could exchange it for another directory; empty if there
/// is none.
std::string exposed_parent(const std::string& path);

}  // namespace op2::jit
