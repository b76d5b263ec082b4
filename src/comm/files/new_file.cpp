// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/new_file.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include <comm/files/leftovers.hpp>
#include <core/error.hpp>

namespace op2::comm {

namespace {

namespace fs = std::filesystem;

/// The path that the file will really have.
std::string target_of(const std::string& path) {
  check_regular("write", path);
  std::error_code ignored;
  if (!fs::is_symlink(fs::symlink_status(path, ignored))) return path;
  return fs::weakly_canonical(path, ignored).string();
}

/// Gives a new file the owner, if possible, and the permissions of the one that it will replace.
void take_permissions(OpenFile& file, const std::string& target) {
  struct stat old {};
  if (::stat(target.c_str(), &old) != 0) return;
  static_cast<void>(::fchown(file.descriptor(), old.st_uid, old.st_gid) == 0);
  if (::fchmod(file.descriptor(), old.st_mode & 0777) != 0) fail_with_errno("create", target);
}

/// Makes the new name durable. File systems that cannot synchronise folders need not.
void synchronise_folder(const std::string& target) {
  const fs::path folder = fs::path(target).parent_path();
  const int descriptor =
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  if (error == 0 || error == EINVAL || error == ENOTSUP || error == ENOSYS) return;
  core::fail(ErrorCode::io_failure,
             "the folder of a complete file may be lost at a power failure: '{}', {}; check the "
             "disk",
             target, std::generic_category().message(error));
}

}  // namespace

/// The lock tells other processes that the file is being written.
int NewFile::create() {
  int descriptor = -1;
  for (int attempt = 0; attempt < 100; ++attempt) {
    temporary_ = temporary_name(target_, attempt);
    descriptor =
        ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor >= 0 || errno != EEXIST) break;
  }
  const int error = errno;
  if (descriptor >= 0) static_cast<void>(::flock(descriptor, LOCK_EX | LOCK_NB) == 0);
  errno = error;
  return descriptor;
}

NewFile::NewFile(const std::string& path, Leftovers leftovers)
    : target_(target_of(path)), file_(create(), "create", target_) {
  if (leftovers == Leftovers::remove) {
    const fs::path target(target_);
    remove_leftovers(target.parent_path(), target.filename().string() + ".");
  }
  try {
    take_permissions(file_, target_);
  } catch (const Error&) {
    ::unlink(temporary_.c_str());
    throw;
  }
}

NewFile::~NewFile() {
  if (!published_) ::unlink(temporary_.c_str());
}

void NewFile::publish() {
  file_.close_durably();
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail_with_errno("rename", target_);
  published_ = true;
  synchronise_folder(target_);
}

}  // namespace op2::comm
