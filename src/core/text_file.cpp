// SPDX-License-Identifier: BSD-3-Clause
#include <core/text_file.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include <core/signals.hpp>

namespace op2::core {
namespace {

/// An open file, or none.
struct Descriptor {
  explicit Descriptor(const char* path) : number(open_at_once(path, O_RDONLY)) {}
  ~Descriptor() {
    const int error = errno;
    if (number >= 0) ::close(number);
    errno = error;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  const int number;
};

}  // namespace

int open_at_once(const char* path, int flags) {
  const auto open_with = [&](int more) {
    return uninterrupted([&] { return ::open(path, flags | O_CLOEXEC | O_NOCTTY | more); });
  };
  const int descriptor = open_with(O_NONBLOCK);
  if (descriptor >= 0 || errno != EWOULDBLOCK) return descriptor;
  struct stat status{};
  if (::stat(path, &status) == 0 && S_ISREG(status.st_mode)) return open_with(0);
  errno = EWOULDBLOCK;
  return -1;
}

std::optional<std::string> read_file(const char* path, std::size_t most_bytes) {
  const Descriptor file(path);
  struct stat status{};
  if (file.number < 0 || ::fstat(file.number, &status) != 0 || !S_ISREG(status.st_mode))
    return std::nullopt;
  if (std::cmp_greater(status.st_size, most_bytes)) {
    errno = EFBIG;
    return std::nullopt;
  }
  std::string text;
  char block[4096];
  ssize_t bytes = 0;
  const auto read_block = [&] { return ::read(file.number, block, sizeof block); };
  while ((bytes = uninterrupted(read_block)) != 0) {
    if (bytes < 0) return std::nullopt;
    text.append(block, static_cast<std::size_t>(bytes));
    if (text.size() > most_bytes) {
      errno = EFBIG;
      return std::nullopt;
    }
  }
  return text;
}

std::string why_unreadable(const char* path) {
  const int error = errno;
  if (const char* kind = kind_if_irregular(path))
    return std::string("it is ") + kind + ", not a regular file";
  return std::generic_category().message(error);
}

const char* kind_if_irregular(const char* path) {
  struct stat status{};
  if (::stat(path, &status) != 0 || S_ISREG(status.st_mode)) return nullptr;
  if (S_ISDIR(status.st_mode)) return "a folder";
  if (S_ISFIFO(status.st_mode)) return "a FIFO";
  if (S_ISSOCK(status.st_mode)) return "a socket";
  return "a device";
}

}  // namespace op2::core
