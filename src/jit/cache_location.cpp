// SPDX-License-Identifier: BSD-3-Clause
#include <jit/cache_location.hpp>

#include <pwd.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <system_error>

#include <fmt/format.h>

#include <core/options.hpp>
#include <core/text_file.hpp>
#include <jit/trusted_path.hpp>

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

std::optional<uid_t> user_named(const std::string& name) {
  uid_t number = 0;
  const char* const end = name.data() + name.size();
  if (const auto parsed = std::from_chars(name.data(), end, number);
      parsed.ec == std::errc() && parsed.ptr == end)
    return number;
  std::array<char, 4096> strings{};
  passwd user{};
  passwd* known = nullptr;
  getpwnam_r(name.c_str(), &user, strings.data(), strings.size(), &known);
  return known == nullptr ? std::nullopt : std::optional(user.pw_uid);
}

std::vector<SharedFolder> folders_in(const std::string& list) {
  std::vector<SharedFolder> folders;
  if (list.empty() || !exposure_of_file(list, root_and_user()).empty()) return folders;
  std::istringstream lines(core::read_file(list.c_str()).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    SharedFolder folder;
    if (!(words >> folder.path)) continue;
    words >> folder.owner;
    folders.push_back(std::move(folder));
  }
  return folders;
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
    struct stat status{};
    if (stat(parent.c_str(), &status) != 0) return {};
    if ((status.st_mode & S_IWOTH) && !(status.st_mode & S_ISVTX)) return parent.string();
  }
  return {};
}

std::string list_of_shared_folders() {
  return OP2_SYSTEM_FOLDER "/op2/cache_ro";
}

std::vector<SharedFolder> shared_folders(const std::string& configured, const std::string& list) {
  if (configured == "none") return {};
  std::vector<SharedFolder> listed = folders_in(list);
  if (configured.empty()) return listed;
  std::vector<SharedFolder> folders;
  std::istringstream paths(configured);
  for (std::string path; std::getline(paths, path, ':');) {
    if (path.empty()) continue;
    const auto known = std::ranges::find(listed, path, &SharedFolder::path);
    folders.push_back(known != listed.end() ? *known : SharedFolder{path});
  }
  return folders;
}

CacheDirectory::Opened open_shared(const SharedFolder& folder) {
  if (!folder.path.starts_with('/')) return {{}, "its path is not absolute"};
  const std::optional<uid_t> owner = user_named(folder.owner);
  if (!owner) return {{}, fmt::format("there is no user '{}'", folder.owner)};
  Writers writers = root_and_user();
  writers.push_back(*owner);
  if (std::string exposure = exposure_of_folder(folder.path, writers); !exposure.empty())
    return {{}, std::move(exposure)};
  return CacheDirectory::open(folder.path, std::move(writers));
}

}  // namespace op2::jit
