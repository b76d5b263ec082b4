// SPDX-License-Identifier: BSD-3-Clause
#include <jit/cache_location.hpp>

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include <core/options.hpp>

namespace op2::jit {

namespace {

/// The value of the variable if it is an absolute path, otherwise empty.
std::string absolute_path_in(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && value[0] == '/' ? value : "";
}

std::string without_final_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

bool is_directory(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

}  // namespace

std::string cache_location(const std::string& configured) {
  if (core::is_privileged()) return {};
  if (!configured.empty()) return without_final_slashes(configured);
  if (const std::string cache = absolute_path_in("XDG_CACHE_HOME"); !cache.empty())
    return without_final_slashes(cache) + "/op2";
  if (const std::string home = absolute_path_in("HOME"); is_directory(home))
    return without_final_slashes(home) + "/.cache/op2";
  return {};
}

std::string make_cache_directory(const std::string& path) {
  std::filesystem::path made;
  std::string problem;
  for (const std::filesystem::path& part : std::filesystem::path(path)) {
    made /= part;
    if (::mkdir(made.c_str(), 0700) == 0 || errno == EEXIST || !problem.empty()) continue;
    problem = fmt::format("'{}' cannot be created: {}", made.string(),
                          std::system_category().message(errno));
  }
  return problem;
}

std::string exposed_parent(const std::string& path) {
  std::error_code error;
  std::filesystem::path parent = std::filesystem::canonical(path, error);
  while (!error && parent.has_relative_path()) {
    parent = parent.parent_path();
    struct stat status {};
    if (stat(parent.c_str(), &status) != 0) return {};
    if ((status.st_mode & S_IWOTH) && !(status.st_mode & S_ISVTX)) return parent.string();
  }
  return {};
}

}  // namespace op2::jit
