// SPDX-License-Identifier: BSD-3-Clause
#include <jit/trusted_path.hpp>

#include <dlfcn.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fmt/format.h>

namespace op2::jit {
namespace {

namespace fs = std::filesystem;

constexpr int most_links = 40;

/// Whether only some of the machine's users exist here; the others are shown as one.
bool is_in_user_namespace() {
  constexpr std::uint64_t all_users = 4294967295;
  std::uint64_t inside = 0, outside = 0, count = all_users;
  std::ifstream("/proc/self/uid_map") >> inside >> outside >> count;
  return inside != 0 || outside != 0 || count != all_users;
}

/// Many systems give each user a group of the same name, and let the group write.
bool is_private_group(gid_t group, uid_t owner) {
  std::array<char, 4096> of_user{}, of_group{};  // a group that does not fit has many members
  passwd user{};
  passwd* known_user = nullptr;
  struct group found{};
  struct group* known_group = nullptr;
  getpwuid_r(owner, &user, of_user.data(), of_user.size(), &known_user);
  getgrgid_r(group, &found, of_group.data(), of_group.size(), &known_group);
  if (known_user == nullptr || known_group == nullptr || user.pw_gid != group) return false;
  const std::string name = user.pw_name;
  if (found.gr_name != name) return false;
  for (char** member = found.gr_mem; *member != nullptr; ++member)
    if (*member != name) return false;
  return true;
}

/// The library or program that contains `address`; empty if none does.
fs::path file_of(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

/// With an access control list the mode does not say who belongs to "the group".
bool has_access_list(const fs::path& path) {
  return getxattr(path.c_str(), "system.posix_acl_access", nullptr, 0) > 0;
}

bool others_may_write(const fs::path& path, const struct stat& status) {
  if (S_ISLNK(status.st_mode)) return false;  // only its owner can replace it
  if ((status.st_mode & S_IWOTH) != 0) return true;
  return (status.st_mode & S_IWGRP) != 0 &&
         (has_access_list(path) || !is_private_group(status.st_gid, status.st_uid));
}

/// Follows a path from the root, link by link.
class Walk {
 public:
  /// @param strict  how many parts at the end others may not even add files to
  Walk(const Writers& writers, int strict) : writers_(writers), strict_(strict) {}

  std::string run(const fs::path& path) {
    fs::path made = path.root_path();
    const fs::path rest = path.relative_path();
    std::string found = look_at(made, std::distance(rest.begin(), rest.end()));
    for (auto part = rest.begin(); found.empty() && part != rest.end();) {
      if (*part == "..")
        made = made.parent_path();
      else if (*part != "." && !part->empty())
        made /= *part;
      ++part;
      found = look_at(made, std::distance(part, rest.end()));
      std::error_code error;
      if (!found.empty() || !fs::is_symlink(made, error)) continue;
      fs::path target = made.parent_path() / fs::read_symlink(made, error);
      for (; part != rest.end(); ++part) target /= *part;
      if (error || ++links_ > most_links) return fmt::format("'{}' leads nowhere", made.string());
      return run(target);
    }
    return found;
  }

 private:
  /// @param below  parts of the path that follow
  std::string look_at(const fs::path& path, std::ptrdiff_t below) const {
    struct stat status{};
    if (lstat(path.c_str(), &status) != 0) return {};  // there is no such file
    const bool is_kept = below >= strict_ && (status.st_mode & S_ISVTX) != 0;
    if (std::ranges::find(writers_, status.st_uid) != writers_.end() &&
        (is_kept || !others_may_write(path, status)))
      return {};
    return fmt::format("others than you and root can change '{}': owner {}, mode {:o}",
                       path.string(), status.st_uid, status.st_mode & 07777);
  }

  const Writers& writers_;
  const int strict_;
  int links_ = 0;
};

}  // namespace

Writers root_and_user() {
  constexpr uid_t root = 0, unknown = 65534;
  Writers writers{root, geteuid()};
  if (is_in_user_namespace()) writers.push_back(unknown);
  return writers;
}

Writers writers_of_code(const void* address) {
  Writers writers = root_and_user();
  std::error_code error;
  fs::path part = fs::canonical(file_of(address), error);
  for (struct stat status{}; !error && stat(part.c_str(), &status) == 0;) {
    writers.push_back(status.st_uid);
    if (part == part.root_path()) break;
    part = part.parent_path();
  }
  return writers;
}

fs::path library_folder(const void* address) {
  const fs::path file = file_of(address);
  return file.empty() ? file : fs::absolute(file).parent_path();
}

std::string exposure_of_file(const fs::path& file, const Writers& writers) {
  return Walk(writers, 2).run(fs::absolute(file));
}

std::string exposure_of_folder(const fs::path& folder, const Writers& writers) {
  return Walk(writers, 1).run(fs::absolute(folder));
}

}  // namespace op2::jit
