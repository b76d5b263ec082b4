// SPDX-License-Identifier: BSD-3-Clause
#include <jit/backend.hpp>

#include <filesystem>
#include <utility>
#include <vector>

#include <dlfcn.h>

#include <fmt/format.h>

#include <core/error.hpp>
#include <jit/trusted_path.hpp>

namespace op2::jit {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> candidates(const std::string& plugin_dir) {
  if (!plugin_dir.empty()) return {fs::absolute(plugin_dir) / "libop2_llvm.so"};
  const auto folder = library_folder(reinterpret_cast<const void*>(&load_plugin));
  return {folder / "libop2_llvm.so", folder / OP2_VERSIONED_FOLDER / "libop2_llvm.so"};
}

struct LoadedFile {
  void* library;
  fs::path file;
};

/// The first file that can be loaded.
LoadedFile load_first(const std::vector<fs::path>& files) {
  std::string tried;
  const Writers writers = writers_of_code(reinterpret_cast<const void*>(&load_plugin));
  for (const auto& file : files) {
    const std::string exposure = exposure_of_file(file, writers);
    if (!exposure.empty()) {
      tried += fmt::format("\n  {}: {}; {}", file.string(), exposure, advice_on_exposure);
      continue;
    }
    if (void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return {library, file};
    tried += fmt::format("\n  {}", dlerror());
  }
  core::fail(
      ErrorCode::plugin_failure,
      "cannot load the JIT plug-in: libop2_llvm.so; set OP2_PLUGIN_DIR to its folder. Tried:{}",
      tried);
}

}  // namespace

Plugin load_plugin(const std::string& plugin_dir, const std::string& cpu) {
  auto [library, file] = load_first(candidates(plugin_dir));
  std::string message;
  const auto make =
      reinterpret_cast<BackendFactory>(find_in_plugin(library, "op2_jit_backend", message));
  if (make == nullptr)
    core::fail(ErrorCode::plugin_failure,
               "not a plug-in of this libop2: {}, {}; set OP2_PLUGIN_DIR to the folder of the "
               "right one, or unset it",
               file.string(), message);
  std::unique_ptr<Backend> backend(make(cpu.c_str(), &message));
  if (backend != nullptr) return {std::move(backend), std::move(file)};
  if (!cpu.empty())
    core::fail(
        ErrorCode::bad_option,
        "the value is not accepted: OP2_JIT_CPU={}, {}; unset it, or use LLVM's name of a CPU", cpu,
        message);
  core::fail(ErrorCode::plugin_failure,
             "the JIT plug-in cannot be used: libop2_llvm.so, {}; set OP2_PLUGIN_DIR to the folder "
             "of the one that was built with this libop2",
             message);
}

}  // namespace op2::jit
