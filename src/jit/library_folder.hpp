// SPDX-License-Identifier: BSD-3-Clause
// Where a loaded library lies; the plug-in and the library look for their parts beside themselves.
#pragma once

#include <filesystem>

#include <dlfcn.h>

namespace op2::jit {

/// The folder of the library or program that `address` is in; empty if it is in none.
inline std::filesystem::path library_folder(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  return std::filesystem::absolute(info.dli_fname).parent_path();
}

}  // namespace op2::jit
