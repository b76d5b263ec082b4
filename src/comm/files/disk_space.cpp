// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/disk_space.hpp>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <comm/files/file_writer.hpp>

namespace op2::comm {

namespace {

/// An open file, or none.
struct Descriptor {
  explicit Descriptor(const std::string& path) : number(::open(path.c_str(), O_RDWR | O_CLOEXEC)) {}
  ~Descriptor() {
    const int error = errno;
    if (number >= 0) ::close(number);
    errno = error;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  const int number;
};

/// The number of the error; 0 if there is none.
int error_of_reserving(int descriptor, std::int64_t offset, std::int64_t bytes) {
  rlimit most{};
  if (::getrlimit(RLIMIT_FSIZE, &most) == 0 && static_cast<rlim_t>(offset + bytes) > most.rlim_cur)
    return EFBIG;
  if (::fallocate(descriptor, FALLOC_FL_KEEP_SIZE, offset, bytes) == 0) return 0;
  if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG) return errno;
  struct statvfs disk {};
  struct stat file {};
  if (::fstatvfs(descriptor, &disk) != 0 || ::fstat(descriptor, &file) != 0) return 0;
  const std::int64_t there = std::max<std::int64_t>(file.st_size, file.st_blocks * 512);
  const auto more = static_cast<double>(offset + bytes - there);
  const double free = static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize);
  return more > free ? ENOSPC : 0;
}

}  // namespace

void reserve_space(const std::string& path, const std::string& shown, std::int64_t offset,
                   std::int64_t bytes) {
  const Descriptor file(path);
  if (file.number < 0) fail_with_errno("write", shown);
  errno = error_of_reserving(file.number, offset, bytes);
  if (errno != 0) fail_with_errno("write", shown);
}

void release_space(const std::string& path) {
  const Descriptor file(path);
  struct stat now {};
  if (file.number >= 0 && ::fstat(file.number, &now) == 0)
    static_cast<void>(::ftruncate(file.number, now.st_size) == 0);
}

}  // namespace op2::comm
