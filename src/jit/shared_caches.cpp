// SPDX-License-Identifier: BSD-3-Clause
#include <jit/shared_caches.hpp>

#include <pwd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include <core/text_file.hpp>
#include <jit/trusted_path.hpp>

namespace op2::jit {
namespace {

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
