// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/file_writer.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include <core/error.hpp>

namespace op2::comm {

namespace {

namespace fs = std::filesystem;

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
    default:
      return "check the path and the disk";
  }
}

}  // namespace

// A device or pipe would be replaced by a regular file, a directory cannot be.
std::string regular_target(const std::string& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    core::fail(ErrorCode::io_failure,
               "cannot write '{}': it exists and is not a regular file; choose another path", path);
  }
  if (!fs::is_symlink(fs::symlink_status(path, ignored))) return path;
  return fs::weakly_canonical(path, ignored).string();
}

std::string temporary_beside(const std::string& target) {
  return fmt::format("{}.{}.tmp", target, ::getpid());
}

void fail_with_errno(const char* action, const std::string& path) {
  const int error = errno;
  core::fail(ErrorCode::io_failure, "cannot {} '{}': {}; {}", action, path,
             std::generic_category().message(error), advice_for(error));
}

void publish_file(const std::string& temporary, const std::string& target) {
  const int descriptor = ::open(temporary.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail_with_errno("write", target);
  if (::fsync(descriptor) != 0) {
    const int error = errno;
    ::close(descriptor);
    errno = error;
    fail_with_errno("write", target);
  }
  ::close(descriptor);
  if (std::rename(temporary.c_str(), target.c_str()) != 0) fail_with_errno("rename", target);
}

FileWriter::FileWriter(const std::string& path)
    : path_(regular_target(path)), temporary_(temporary_beside(path_)) {
  const int descriptor =
      ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (descriptor < 0) fail_with_errno("create", path_);
  file_.reset(::fdopen(descriptor, "wb"));
  if (!file_) {
    ::close(descriptor);
    ::unlink(temporary_.c_str());
    fail_with_errno("create", path_);
  }
}

FileWriter::~FileWriter() {
  file_.reset();
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void FileWriter::write(const void* data, std::size_t bytes) {
  if (bytes > 0 && std::fwrite(data, 1, bytes, file_.get()) != bytes)
    fail_with_errno("write", path_);
}

void FileWriter::publish() {
  if (std::fflush(file_.get()) != 0 || ::fsync(::fileno(file_.get())) != 0)
    fail_with_errno("write", path_);
  if (std::fclose(file_.release()) != 0) fail_with_errno("write", path_);
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail_with_errno("rename", path_);
  temporary_.clear();
}

}  // namespace op2::comm
