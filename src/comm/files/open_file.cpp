// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/open_file.hpp>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <core/error.hpp>
#include <core/signals.hpp>
#include <core/text_file.hpp>

namespace op2::comm {

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

namespace {

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

}  // namespace

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

}  // namespace op2::comm
