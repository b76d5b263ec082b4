// SPDX-License-Identifier: BSD-3-Clause
// The folder of a loaded library, in which the library and the plug-in look for their parts.
#pragma once

#include <filesystem>

#include <dlfcn.h>

namespace op2::jit {

/// The folder of the library or program that contains `address`; empty if none does.
inline std::filesystem::path library_folder(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  return std::filesystem::absolute(info.dli_fname).parent_path();
}

}  // namespace op2::jit
