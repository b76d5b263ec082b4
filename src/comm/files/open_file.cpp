// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/open_file.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <core/error.hpp>
#include <core/signals.hpp>
#include <core/text.hpp>

namespace op2::comm {

namespace {

namespace fs = std::filesystem;
using core::uninterrupted;

const char* advice_for(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "free some space or choose another disk";
    case EFBIG:
      return "raise the limit of file sizes (ulimit -f)";
    case ENOENT:
    case ENOTDIR:
      return "create its directory or correct the path";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a directory that you may write to";
    case ELOOP:
      return "correct the symbolic links";
    case ENAMETOOLONG:
      return "choose a shorter name: that of its temporary file is longer, by host and process";
    default:
      return "check the path and the disk";
  }
}

[[noreturn]] void fail_to_open(const std::string& shown, int error) {
  core::fail(ErrorCode::io_failure, "cannot open '{}': {}; check the path and the permissions",
             shown, std::generic_category().message(error));
}

/// Whether the system would end the program (SIGXFSZ) instead of reporting an error.
bool exceeds_limit(std::int64_t size) {
  rlimit most{};
  return ::getrlimit(RLIMIT_FSIZE, &most) == 0 && static_cast<rlim_t>(size) > most.rlim_cur;
}

constexpr std::string_view unfinished = ".tmp";

/// A process; the start time tells it from a later one with the same number.
struct ProcessId {
  int number = 0;
  unsigned long long start = 0;  ///< clock ticks since the system was started; 0 if unknown
};

/// Field 22 of /proc/<number>/stat; the second field is a name in parentheses, with any characters.
unsigned long long start_of(int number) {
  const auto text = core::read_file(fmt::format("/proc/{}/stat", number).c_str());
  const std::size_t name_end = text ? text->rfind(')') : std::string::npos;
  if (name_end == std::string::npos) return 0;
  std::size_t at = name_end;
  for (int field = 2; field < 22 && at != std::string::npos; ++field) at = text->find(' ', at + 1);
  return at == std::string::npos ? 0 : std::strtoull(text->c_str() + at, nullptr, 10);
}

bool is_gone(const ProcessId& process) {
  if (::kill(process.number, 0) != 0 && errno == ESRCH) return true;
  const unsigned long long start = start_of(process.number);
  return start != 0 && process.start != 0 && start != process.start;
}

/// The process in the name of a temporary file of this host.
std::optional<ProcessId> writer_of(std::string_view name, std::string_view prefix,
                                   const std::string& host) {
  if (!name.starts_with(prefix) || !name.ends_with(unfinished)) return {};
  name.remove_suffix(unfinished.size());
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || !name.substr(0, dot).ends_with("." + host)) return {};
  const std::string id(name.substr(dot + 1));
  ProcessId process;
  int attempt = 0, length = 0;
  const int found =
      std::sscanf(id.c_str(), "%d-%llu-%d%n", &process.number, &process.start, &attempt, &length);
  if (found != 3 || length != std::ssize(id) || process.number <= 0) return {};
  return process;
}

/// Removes a file of this user if this process can lock it: writers that another container of this
/// host runs are not visible by their numbers. On NFS that needs a descriptor that may write.
void remove_unlocked(const std::string& path) {
  const int descriptor =
      ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return;
  struct stat file{};
  const bool mine =
      ::fstat(descriptor, &file) == 0 && S_ISREG(file.st_mode) && file.st_uid == ::geteuid();
  if (mine && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
  ::close(descriptor);
}

constexpr int most_links = 40;  // as in the system

/// The path that the file will really have: links are followed, to a file that need not exist.
std::string target_of(std::string path) {
  check_regular("write", path);
  const std::string given = path;
  for (int links = 0; links <= most_links; ++links) {
    std::array<char, PATH_MAX> to{};
    const ssize_t length = ::readlink(path.c_str(), to.data(), to.size());
    if (length < 0 && (errno == EINVAL || errno == ENOENT)) return path;  // no link
    if (length < 0) fail_with_errno("create", given);
    const std::string_view text(to.data(), static_cast<std::size_t>(length));
    path = (fs::path(path).parent_path() / text).string();
  }
  errno = ELOOP;
  fail_with_errno("create", given);
}

/// What is at the target; nothing if there is no file. The user root may write every file.
std::optional<struct stat> writable_file_at(const std::string& target) {
  struct stat file{};
  const bool exists = ::stat(target.c_str(), &file) == 0;
  if (!exists && errno == ENOENT) return {};
  if (!exists) fail_with_errno("create", target);
  if (::faccessat(AT_FDCWD, target.c_str(), W_OK, AT_EACCESS) == 0) return file;
  if (errno != EACCES) fail_with_errno("write", target);
  core::fail(
      ErrorCode::io_failure,
      "cannot write '{}': it is write-protected ({}); allow writing it (chmod u+w) or choose "
      "another path",
      target, std::generic_category().message(errno));
}

/// Renames a file unless the new name is taken (EEXIST). NFS and others need a link for that; a
/// file system that has no links either may lose a file that another process creates at this
/// moment.
int rename_to_free_name(const char* from, const char* to) {
  if (::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
  if (::link(from, to) == 0) {
    ::unlink(from);
    return 0;
  }
  if (errno != EPERM && errno != ENOSYS && errno != EOPNOTSUPP) return -1;
  struct stat file{};
  if (::lstat(to, &file) != 0 && errno == ENOENT) return std::rename(from, to);
  errno = EEXIST;
  return -1;
}

/// Makes the new name durable. File systems that cannot synchronise folders need not.
void synchronise_folder(const std::string& target) {
  const fs::path folder = fs::path(target).parent_path();
  const int descriptor = uninterrupted([&] {
    return ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  });
  if (descriptor < 0) return;
  const int error = uninterrupted([&] { return ::fsync(descriptor); }) == 0 ? 0 : errno;
  ::close(descriptor);
  if (error == 0 || error == EINVAL || error == ENOTSUP || error == ENOSYS) return;
  core::fail(ErrorCode::io_failure,
             "the folder of a complete file may be lost at a power failure: '{}', {}; check the "
             "disk",
             target, std::generic_category().message(error));
}

constexpr std::size_t buffer_size = std::size_t{1} << 16;

}  // namespace

std::string advice_for_mesh(const std::string& path) {
  // The formats that docs/meshes.md lists.
  constexpr std::array<std::string_view, 18> endings{
      ".msh", ".cgns", ".e",    ".ex2", ".exo", ".exii", ".g",    ".inp", ".vtk",
      ".vtu", ".su2",  ".mesh", ".med", ".bdf", ".nas",  ".xdmf", ".ele", ".node"};
  const std::filesystem::path file(path);
  std::string ending = file.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
  if (std::ranges::find(endings, ending) == endings.end()) return "";
  return fmt::format("this is a file of a mesh generator: convert it with `op2-mesh convert {} {}`",
                     path, std::filesystem::path(file).replace_extension(".h5").string());
}

void fail_with_errno(const char* action, const std::string& path, const std::string& where) {
  const int error = errno;
  core::fail(ErrorCode::io_failure, "cannot {} '{}': {}{}{}; {}", action, path,
             std::generic_category().message(error), where.empty() ? "" : ", ", where,
             advice_for(error));
}

void check_regular(const char* action, const std::string& path) {
  if (const char* kind = core::kind_if_irregular(path.c_str()))
    core::fail(ErrorCode::io_failure,
               "cannot {} '{}': it is {}, not a regular file; choose another path", action, path,
               kind);
}

OpenFile::OpenFile(int descriptor, std::string shown)
    : descriptor_(descriptor), shown_(std::move(shown)) {}

OpenFile::OpenFile(OpenFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), shown_(std::move(other.shown_)) {}

OpenFile::~OpenFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::optional<OpenFile> OpenFile::if_any(const std::string& path, int flags,
                                         const std::string& shown) {
  check_regular(flags == O_RDONLY ? "read" : "write", path);
  const int descriptor = core::open_at_once(path.c_str(), flags);
  if (descriptor >= 0) return OpenFile(descriptor, shown);
  if (errno != ENOENT) fail_to_open(shown, errno);
  return {};
}

OpenFile OpenFile::existing(const std::string& path, int flags, const std::string& shown) {
  auto file = if_any(path, flags, shown);
  if (!file) fail_to_open(shown, ENOENT);
  return std::move(*file);
}

OpenFile OpenFile::again() const {
  return {::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0), shown_};
}

std::int64_t OpenFile::size() const {
  struct stat now{};
  if (::fstat(descriptor_, &now) != 0) fail_with_errno("read", shown_);
  return now.st_size;
}

void OpenFile::fail_to_write(std::int64_t offset, std::int64_t bytes) const {
  const int error = errno;
  const std::string where = fmt::format("{} bytes from byte {} on", bytes, offset);
  errno = error;
  fail_with_errno("write", shown_, where);
}

void OpenFile::write_at(std::int64_t offset, const void* data, std::size_t bytes) {
  const auto* from = static_cast<const std::byte*>(data);
  errno = EFBIG;
  if (bytes > 0 && exceeds_limit(offset + static_cast<std::int64_t>(bytes)))
    fail_to_write(offset, static_cast<std::int64_t>(bytes));
  while (bytes > 0) {
    const ssize_t written =
        uninterrupted([&] { return ::pwrite(descriptor_, from, bytes, offset); });
    if (written == 0) errno = ENOSPC;
    if (written <= 0) fail_to_write(offset, static_cast<std::int64_t>(bytes));
    from += written;
    offset += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

void OpenFile::read_at(std::int64_t offset, void* data, std::size_t bytes) const {
  auto* to = static_cast<std::byte*>(data);
  while (bytes > 0) {
    const ssize_t read = uninterrupted([&] { return ::pread(descriptor_, to, bytes, offset); });
    if (read < 0) fail_with_errno("read", shown_);
    if (read == 0) break;
    to += read;
    offset += read;
    bytes -= static_cast<std::size_t>(read);
  }
  std::memset(to, 0, bytes);
}

void OpenFile::resize(std::int64_t bytes) {
  errno = EFBIG;
  if (exceeds_limit(bytes) || uninterrupted([&] { return ::ftruncate(descriptor_, bytes); }) != 0)
    fail_with_errno("write", shown_);
}

void OpenFile::begin_moving_to_disk(std::int64_t offset, std::int64_t bytes) {
  static_cast<void>(::sync_file_range(descriptor_, offset, bytes, SYNC_FILE_RANGE_WRITE));
}

/// An error of the disk that this call of the system reports is not reported again by others.
void OpenFile::finish_moving_to_disk(std::int64_t offset, std::int64_t bytes) {
  constexpr unsigned all =
      SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
  const int done =
      uninterrupted([&] { return ::sync_file_range(descriptor_, offset, bytes, all); });
  if (done != 0 && errno != ENOSYS && errno != EINVAL && errno != ESPIPE)
    fail_to_write(offset, bytes);
  static_cast<void>(::posix_fadvise(descriptor_, offset, bytes, POSIX_FADV_DONTNEED));
}

/// False if the system cannot copy between these files; then nothing is lost by another way.
bool OpenFile::copied_by_the_system(const OpenFile& other, std::int64_t bytes) {
  off_t from = 0, to = 0;
  while (from < bytes) {
    const ssize_t copied = uninterrupted([&] {
      return ::copy_file_range(other.descriptor_, &from, descriptor_, &to,
                               static_cast<std::size_t>(bytes - from), 0);
    });
    if (copied < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EIO || errno == EFBIG))
      fail_with_errno("write", shown_);
    if (copied <= 0) return false;
  }
  return true;
}

void OpenFile::copy_from(const OpenFile& other) {
  const std::int64_t bytes = other.size();
  resize(bytes);
  if (copied_by_the_system(other, bytes)) return;
  std::vector<std::byte> part(std::size_t{1} << 20);
  for (std::int64_t done = 0; done < bytes; done += std::ssize(part)) {
    const auto count = static_cast<std::size_t>(std::min(std::ssize(part), bytes - done));
    other.read_at(done, part.data(), count);
    write_at(done, part.data(), count);
  }
}

void OpenFile::close_durably() {
  if (uninterrupted([&] { return ::fsync(descriptor_); }) != 0) fail_with_errno("write", shown_);
  if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR)
    fail_with_errno("write", shown_);
}

void WriteBehind::wrote(std::int64_t offset, std::int64_t bytes) {
  if (!next_.empty() && next_.back().end == offset)
    next_.back().end += bytes;
  else
    next_.push_back({offset, offset + bytes});
  next_bytes_ += bytes;
  if (next_bytes_ < part_bytes_) return;
  for (const Range& range : next_) file_.begin_moving_to_disk(range.begin, range.end - range.begin);
  on_way_.push_back(std::exchange(next_, {}));
  next_bytes_ = 0;
  constexpr std::size_t most_on_way = 4;
  if (on_way_.size() <= most_on_way) return;
  for (const Range& range : on_way_.front())
    file_.finish_moving_to_disk(range.begin, range.end - range.begin);
  on_way_.pop_front();
}

std::string host_name() {
  std::array<char, 256> name{};
  static_cast<void>(::gethostname(name.data(), name.size() - 1) == 0);
  return name.data();
}

std::string temporary_name(const std::string& target, int attempt) {
  const int number = ::getpid();
  return fmt::format("{}.{}.{}-{}-{}{}", target, host_name(), number, start_of(number), attempt,
                     unfinished);
}

void remove_leftovers(const std::string& folder, const std::string& prefix) {
  const std::string host = host_name();
  std::error_code error;
  std::filesystem::directory_iterator entry(folder.empty() ? "." : folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const auto writer = writer_of(entry->path().filename().native(), prefix, host);
    if (writer && is_gone(*writer)) remove_unlocked(entry->path());
  }
}

/// The lock tells other processes that the file is being written. Without one, its name is not that
/// of a file that they may remove.
int NewFile::create(Leftovers leftovers) {
  const fs::path target(target_);
  if (leftovers == Leftovers::remove)
    remove_leftovers(target.parent_path(), target.filename().string() + ".");
  int descriptor = -1;
  for (int attempt = 0; attempt < 100; ++attempt) {
    temporary_ = temporary_name(target_, attempt);
    descriptor = uninterrupted([&] {
      return ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                    replaced_ ? 0600 : 0666);
    });
    if (descriptor >= 0 || errno != EEXIST) break;
  }
  if (descriptor < 0) fail_with_errno("create", target_);
  if (uninterrupted([&] { return ::flock(descriptor, LOCK_SH | LOCK_NB); }) == 0) return descriptor;
  const std::string unlocked = temporary_ + ".unlocked";
  if (std::rename(temporary_.c_str(), unlocked.c_str()) == 0) temporary_ = unlocked;
  return descriptor;
}

NewFile::NewFile(const std::string& path, Leftovers leftovers)
    : target_(target_of(path)),
      replaced_(writable_file_at(target_)),
      file_(create(leftovers), target_) {}

NewFile::~NewFile() {
  if (!kept_) ::unlink(temporary_.c_str());
}

/// Gives the file the owner, if possible, and the permissions of the one that it will replace.
void NewFile::take_permissions() {
  if (!replaced_) return;
  static_cast<void>(::fchown(file_.descriptor(), replaced_->st_uid, replaced_->st_gid) == 0);
  if (::fchmod(file_.descriptor(), replaced_->st_mode & 0777) != 0)
    fail_with_errno("create", target_);
}

void NewFile::take_name(IfThere if_there) {
  const char *from = temporary_.c_str(), *to = target_.c_str();
  const int renamed =
      if_there == IfThere::replace ? std::rename(from, to) : rename_to_free_name(from, to);
  const int error = renamed == 0 ? 0 : errno;
  if (error == EEXIST && if_there == IfThere::fail)
    core::fail(ErrorCode::io_failure,
               "another process has created the file meanwhile: '{}', nothing was added to it; try "
               "again",
               target_);
  if (error == ENOENT)
    core::fail(ErrorCode::io_failure,
               "the temporary file '{}' has vanished: another process has removed it or its "
               "directory; write '{}' again",
               temporary_, target_);
  kept_ = true;
  if (error != 0)
    core::fail(ErrorCode::io_failure,
               "cannot rename '{}' to '{}': {}; the first is complete: rename it yourself, before "
               "the next program that writes the second removes it",
               temporary_, target_, std::generic_category().message(error));
}

void NewFile::publish(IfThere if_there) {
  take_permissions();
  {
    const OpenFile locked = file_.again();  // until the file has its name
    file_.close_durably();
    take_name(if_there);
  }
  synchronise_folder(target_);
}

void FileWriter::flush() {
  output_.file().write_at(flushed_, buffer_.data(), buffer_.size());
  flushed_ += std::ssize(buffer_);
  buffer_.clear();
}

void FileWriter::write(const void* data, std::size_t bytes) {
  if (buffer_.size() + bytes > buffer_size) flush();
  if (bytes > buffer_size) {
    output_.file().write_at(flushed_, data, bytes);
    flushed_ += static_cast<std::int64_t>(bytes);
    return;
  }
  const std::size_t before = buffer_.size();
  buffer_.resize(before + bytes);
  if (bytes > 0) std::memcpy(buffer_.data() + before, data, bytes);
}

void FileWriter::publish() {
  flush();
  output_.publish();
}

void write_file(const std::string& path, std::string_view text) {
  FileWriter file(path);
  file.write(text);
  file.publish();
}

}  // namespace op2::comm
