// SPDX-License-Identifier: BSD-3-Clause
#include <core/text.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <numeric>
#include <system_error>
#include <utility>

#include <core/signals.hpp>

namespace op2::core {
namespace {

/// Levenshtein's.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row.back();
}

std::string suggestion_of(const std::string& name) {
  return "; did you mean '" + name + "'?";
}

}  // namespace

std::string did_you_mean(std::string_view unknown, std::span<const std::string> known) {
  if (unknown.empty() || known.empty()) return "";
  const auto distance = [&](const std::string& name) { return edit_distance(unknown, name); };
  const std::string& nearest = *std::ranges::min_element(known, {}, distance);
  const std::size_t most =
      std::min(unknown.size() - 1, std::max<std::size_t>(2, nearest.size() / 3));
  return distance(nearest) <= most ? suggestion_of(nearest) : "";
}

std::optional<std::string> misspelled(std::string_view prefix, std::string_view name,
                                      std::span<const std::string> known) {
  if (std::ranges::find(known, name) != known.end()) return {};
  if (name.starts_with(prefix)) return did_you_mean(name, known);
  const auto is_near = [name = lower_case(std::string(name))](const std::string& candidate) {
    const std::size_t longer = std::max(name.size(), candidate.size());
    return !candidate.empty() && longer - std::min(name.size(), candidate.size()) <= 1 &&
           edit_distance(name, lower_case(candidate)) <= 1;
  };
  const auto meant = std::ranges::find_if(known, is_near);
  return meant == known.end() ? std::nullopt : std::optional(suggestion_of(*meant));
}

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
