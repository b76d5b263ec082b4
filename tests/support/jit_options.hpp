// SPDX-License-Identifier: BSD-3-Clause
// How tests start the JIT.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <jit/jit.hpp>

namespace op2::test {

/// Folder of the plug-in; empty: the one that the library finds itself.
inline std::string plugin_folder() {
  const char* folder = std::getenv("OP2_PLUGIN_DIR");
  return folder != nullptr ? folder : "";
}

/// The disk cache is in `cache`.
inline jit::JitOptions jit_options(const std::filesystem::path& cache,
                                   std::function<std::vector<jit::Constant>()> constants) {
  jit::JitOptions options;
  options.plugin_dir = plugin_folder();
  options.cache.directory = cache.string();
  options.constants = std::move(constants);
  return options;
}

}  // namespace op2::test
