// SPDX-License-Identifier: BSD-3-Clause
// Finds and loads the LLVM plug-in.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <jit/backend.hpp>

namespace op2::jit {

struct Plugin {
  std::unique_ptr<Backend> backend;
  std::filesystem::path file;  ///< absolute
};

/// Loads libop2_llvm.so from `plugin_dir` (OP2_PLUGIN_DIR) or, if that is empty, from this
/// library's folder or its subfolder op2. Files that others than this user, root and the owner of
/// this library could have written are not loaded. The plug-in is never unloaded. Cost: loading
/// LLVM, some 30 ms.
/// @param cpu  LLVM's name of the CPU to generate code for; empty: this machine's
/// @throws Error plugin_failure (lists the files tried and why they failed), bad_option (unknown
///         `cpu`), not_compiled
Plugin load_plugin(const std::string& plugin_dir, const std::string& cpu);

/// The same, for callers that need not know the file.
inline std::unique_ptr<Backend> load_backend(const std::string& plugin_dir,
                                             const std::string& cpu) {
  return load_plugin(plugin_dir, cpu).backend;
}

}  // namespace op2::jit
