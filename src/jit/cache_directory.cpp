// SPDX-License-Identifier: BSD-3-Clause
#include <jit/cache_directory.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <pwd.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <system_error>

#include <fmt/core.h>

#include <core/hash.hpp>
#include <core/options.hpp>
#include <core/signals.hpp>
#include <core/text.hpp>

namespace op2::jit {
namespace {

constexpr std::string_view entry_suffix = ".op2";
constexpr std::size_t kept_bad_files = 8;
constexpr std::int64_t day = 24 * 60 * 60;

using Status = struct stat;

std::string message_for(int error) {
  return std::system_category().message(error);
}

std::uint64_t random_number() {
  std::uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number)
    number = static_cast<std::uint64_t>(std::clock());
  return number;
}

/// Why another user could have written the file or directory; empty if none could. Access control
/// lists need no check: the group bits of the mode are an upper bound of what they grant.
std::string distrust(const Status& status, const Writers& writers) {
  if (std::ranges::find(writers, status.st_uid) == writers.end())
    return fmt::format("it belongs to user {}, not to user {}", status.st_uid, writers.back());
  if (status.st_mode & (S_IWGRP | S_IWOTH))
    return fmt::format("others may write to it (mode {:o})", status.st_mode & 07777);
  return {};
}

std::string refusal(const Status& status, Trust trust, const Writers& writers) {
  if (!S_ISREG(status.st_mode)) return "it is not a regular file";
  if (status.st_size < min_entry_bytes || status.st_size > max_entry_bytes)
    return fmt::format("length: {} bytes, not {} to {}", status.st_size, min_entry_bytes,
                       max_entry_bytes);
  if (trust == Trust::any) return {};
  // No link at all is legal: the entry has just been replaced.
  if (status.st_nlink > 1) return fmt::format("it has {} names", status.st_nlink);
  return distrust(status, writers);
}

/// Whether an error of open() is about the file and not temporary.
bool is_about_the_file(int error) {
  return error == ELOOP || error == ENXIO || error == ENODEV || error == EACCES;
}

/// Reads until `bytes` is full or the file ends. Returns 0 or the error.
int read_all(int file, std::vector<std::byte>& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count =
        core::uninterrupted([&] { return ::read(file, bytes.data() + done, bytes.size() - done); });
    if (count < 0) return errno;
    if (count == 0) break;
    done += count;
  }
  bytes.resize(done);
  return 0;
}

int write_all(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count =
        core::uninterrupted([&] { return ::write(file, bytes.data(), bytes.size()); });
    if (count < 0) return errno;
    bytes = bytes.subspan(count);
  }
  return fdatasync(file) == 0 ? 0 : errno;
}

void renew(int file, const Status& status) {
  const std::int64_t age = std::time(nullptr) - status.st_mtim.tv_sec;
  if (std::abs(age) > day) futimens(file, nullptr);
}

/// Writing beyond the limit would end the process with a signal.
bool exceeds_file_size_limit(std::size_t bytes) {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
         bytes > limit.rlim_cur;
}

/// The file has no name before it is complete, so a process that dies leaves no file.
/// @return why it cannot be written, or empty
std::string write_unnamed(int directory, const std::string& name,
                          std::span<const std::byte> bytes) {
  const FileDescriptor file(openat(directory, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  if (!file) return message_for(errno);
  if (const int error = write_all(file.get(), bytes)) return message_for(error);
  const std::string link = fmt::format("/proc/self/fd/{}", file.get());
  const int failed = linkat(AT_FDCWD, link.c_str(), directory, name.c_str(), AT_SYMLINK_FOLLOW);
  return failed == 0 || errno == EEXIST ? std::string() : message_for(errno);
}

/// Replaces what has the name. Also for file systems without unnamed files.
std::string write_renamed(int directory, const std::string& name,
                          std::span<const std::byte> bytes) {
  const std::string temporary = fmt::format(".tmp.{}.{:016x}", getpid(), random_number());
  const FileDescriptor file(openat(directory, temporary.c_str(),
                                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return message_for(errno);
  int error = write_all(file.get(), bytes);
  if (error == 0 && renameat(directory, temporary.c_str(), directory, name.c_str()) != 0)
    error = errno;
  if (error == 0) return {};
  unlinkat(directory, temporary.c_str(), 0);
  return message_for(error);
}

constexpr std::int64_t hour = 60 * 60;

bool counts(const CacheFile& file) {
  return file.kind == CacheFileKind::entry || file.kind == CacheFileKind::bad;
}

/// The value of the variable if it is an absolute path, otherwise empty.
std::string absolute_path_in(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && value[0] == '/' ? value : "";
}

std::string without_final_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

bool is_folder(const std::filesystem::path& path) {
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

CacheFileKind kind_of(std::string_view name) {
  if (name.starts_with(".bad.")) return CacheFileKind::bad;
  if (name.starts_with(".tmp.")) return CacheFileKind::temporary;
  const bool entry =
      name.ends_with(entry_suffix) &&
      core::digest_from_hex(name.substr(0, name.size() - entry_suffix.size())).has_value();
  return entry ? CacheFileKind::entry : CacheFileKind::other;
}

std::string entry_name(const Key& key) {
  return name_of(key).append(entry_suffix);
}

CacheDirectory::Opened CacheDirectory::open(const std::string& path, Trust trust, Writers writers) {
  if (trust != Trust::shared) writers = {geteuid()};
  const int nofollow = trust == Trust::own ? O_NOFOLLOW : 0;
  FileDescriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | nofollow));
  if (!directory && errno == ENOTDIR) return {{}, "it is a symbolic link or not a directory"};
  if (!directory) return {{}, message_for(errno)};
  Status status{};
  if (fstat(directory.get(), &status) != 0) return {{}, message_for(errno)};
  std::string problem = distrust(status, writers);
  if (trust != Trust::any && !problem.empty()) return {{}, std::move(problem)};
  return {CacheDirectory(std::move(directory), trust, std::move(writers)), std::move(problem)};
}

ReadFile CacheDirectory::read(const std::string& name, bool touch) const {
  using State = ReadFile::State;
  const FileDescriptor file(
      openat(directory_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file && errno == ENOENT) return {};
  if (!file)
    return {.state = is_about_the_file(errno) ? State::refused : State::unreadable,
            .reason = message_for(errno)};
  Status status{};
  if (fstat(file.get(), &status) != 0)
    return {.state = State::unreadable, .reason = message_for(errno)};
  ReadFile result{
      .state = State::refused, .reason = refusal(status, trust_, writers_), .inode = status.st_ino};
  if (!result.reason.empty()) return result;
  result.bytes.resize(status.st_size);
  if (const int error = read_all(file.get(), result.bytes))
    return {.state = State::unreadable, .reason = message_for(error)};
  if (touch) renew(file.get(), status);
  result.state = State::read;
  return result;
}

bool CacheDirectory::contains(const std::string& name) const {
  return faccessat(directory_.get(), name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

std::string CacheDirectory::write(const std::string& name, std::span<const std::byte> bytes) const {
  if (exceeds_file_size_limit(bytes.size())) return message_for(EFBIG);
  const std::string problem = write_unnamed(directory_.get(), name, bytes);
  return problem.empty() ? problem : write_renamed(directory_.get(), name, bytes);
}

std::string CacheDirectory::replace(const std::string& name,
                                    std::span<const std::byte> bytes) const {
  if (exceeds_file_size_limit(bytes.size())) return message_for(EFBIG);
  return write_renamed(directory_.get(), name, bytes);
}

void CacheDirectory::quarantine(const std::string& name, std::uint64_t inode) const {
  Status status{};
  if (fstatat(directory_.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return;
  if (inode != 0 && status.st_ino != inode) return;
  const std::string bad = fmt::format(".bad.{}.{:016x}", name.substr(0, 12), random_number());
  if (renameat(directory_.get(), name.c_str(), directory_.get(), bad.c_str()) != 0) remove(name);
  std::vector<CacheFile> kept = files();
  std::erase_if(kept, [](const CacheFile& file) { return file.kind != CacheFileKind::bad; });
  std::ranges::sort(kept, std::ranges::greater{}, &CacheFile::used);
  for (std::size_t i = kept_bad_files; i < kept.size(); ++i) remove(kept[i].name);
}

bool CacheDirectory::remove(const std::string& name) const {
  return unlinkat(directory_.get(), name.c_str(), 0) == 0 ||
         (errno == EISDIR && unlinkat(directory_.get(), name.c_str(), AT_REMOVEDIR) == 0);
}

std::vector<CacheFile> CacheDirectory::files() const {
  std::vector<CacheFile> files;
  const int listing = openat(directory_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const raw = listing < 0 ? nullptr : fdopendir(listing);
  if (raw == nullptr) {
    if (listing >= 0) ::close(listing);
    return files;
  }
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(raw, closedir);
  while (const dirent* item = readdir(stream.get())) {
    const std::string name = item->d_name;
    Status status{};
    if (name == "." || name == ".." ||
        fstatat(directory_.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    files.push_back({name, kind_of(name), status.st_size, status.st_mtim.tv_sec});
  }
  return files;
}

FileDescriptor CacheDirectory::open_lock_file() const {
  FileDescriptor file(openat(directory_.get(), ".lock",
                             O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  Status status{};
  const bool usable = file && fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode);
  return usable ? std::move(file) : FileDescriptor();
}

std::vector<CacheFile> abandoned(const std::vector<CacheFile>& files, std::int64_t now) {
  std::vector<CacheFile> result;
  std::ranges::copy_if(files, std::back_inserter(result), [now](const CacheFile& file) {
    return file.kind == CacheFileKind::temporary && now - file.used > hour;
  });
  return result;
}

std::vector<CacheFile> least_recently_used(const std::vector<CacheFile>& files,
                                           std::int64_t max_bytes) {
  std::vector<CacheFile> result;
  std::ranges::copy_if(files, std::back_inserter(result), counts);
  std::ranges::stable_sort(result, {}, &CacheFile::used);
  std::int64_t left = bytes_of(files);
  const auto end = std::ranges::find_if(result, [&](const CacheFile& file) {
    if (left <= max_bytes) return true;
    left -= file.bytes;
    return false;
  });
  result.erase(end, result.end());
  return result;
}

std::int64_t bytes_of(const std::vector<CacheFile>& files) {
  std::int64_t sum = 0;
  for (const CacheFile& file : files) sum += counts(file) ? file.bytes : 0;
  return sum;
}

std::string cache_location(const std::string& configured) {
  if (core::is_privileged()) return {};
  if (!configured.empty()) return without_final_slashes(configured);
  if (const std::string cache = absolute_path_in("XDG_CACHE_HOME"); !cache.empty())
    return without_final_slashes(cache) + "/op2";
  if (const std::string home = absolute_path_in("HOME"); is_folder(home))
    return without_final_slashes(home) + "/.cache/op2";
  return {};
}

std::string make_cache_directory(const std::string& path) {
  std::filesystem::path made;
  std::string problem;
  for (const std::filesystem::path& part : std::filesystem::path(path)) {
    made /= part;
    if (::mkdir(made.c_str(), 0700) == 0 || errno == EEXIST || !problem.empty()) continue;
    problem = fmt::format("'{}' cannot be created: {}", made.string(), message_for(errno));
  }
  return problem;
}

std::string exposed_parent(const std::string& path) {
  std::error_code error;
  std::filesystem::path parent = std::filesystem::canonical(path, error);
  while (!error && parent.has_relative_path()) {
    parent = parent.parent_path();
    Status status{};
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
  return CacheDirectory::open(folder.path, Trust::shared, std::move(writers));
}

}  // namespace op2::jit
