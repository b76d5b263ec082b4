// SPDX-License-Identifier: BSD-3-Clause
#include <gpu/driver_api.hpp>

#include <vector>

#include <fmt/format.h>

#include <core/error.hpp>

namespace op2::gpu {
namespace {

constexpr const char* driver_name = "libcuda.so.1";

/// The loader's path, where Windows puts the driver of its Linux machines, and containers theirs.
std::vector<std::string> candidates(const std::string& path) {
  if (!path.empty()) return {file_or_in_folder(path, driver_name)};
  std::vector<std::string> files{driver_name};
  for (const char* folder :
       {"/usr/lib/wsl/lib", "/usr/local/nvidia/lib64", "/usr/local/nvidia/lib"})
    files.push_back(fmt::format("{}/{}", folder, driver_name));
  return files;
}

SharedLibrary open_first(const std::vector<std::string>& files) {
  std::string tried, why;
  for (const std::string& file : files) {
    if (auto library = SharedLibrary::open(file, why)) return *std::move(library);
    tried.append("\n  ").append(why);
  }
  core::fail(
      ErrorCode::no_device,
      "cannot load the NVIDIA driver: library {}; install the driver, set OP2_CUDA_DRIVER to "
      "that file or its folder, or use OP2_TARGET=cpu. Tried:{}",
      driver_name, tried);
}

}  // namespace

std::shared_ptr<const DriverApi> load_driver(const std::string& path) {
  auto api = std::make_shared<const DriverApi>(open_first(candidates(path)));
  if (const std::string& missing = api->library.missing(); !missing.empty())
    core::fail(
        ErrorCode::no_device,
        "the NVIDIA driver lacks functions: library {},{}; install a driver for CUDA 12.0 or "
        "newer, or use OP2_TARGET=cpu",
        api->library.path(), missing);
  return api;
}

std::string cuda_version(int version) {
  return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace op2::gpu
