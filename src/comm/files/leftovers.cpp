// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/leftovers.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include <core/text_file.hpp>

namespace op2::comm {

namespace {

constexpr std::string_view ending = ".tmp";

std::string host_name() {
  std::array<char, 256> name{};
  static_cast<void>(::gethostname(name.data(), name.size() - 1) == 0);
  return name.data();
}

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
  if (!name.starts_with(prefix) || !name.ends_with(ending)) return {};
  name.remove_suffix(ending.size());
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
  struct stat file {};
  const bool mine =
      ::fstat(descriptor, &file) == 0 && S_ISREG(file.st_mode) && file.st_uid == ::geteuid();
  if (mine && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
  ::close(descriptor);
}

}  // namespace

std::string temporary_name(const std::string& target, int attempt) {
  const int number = ::getpid();
  return fmt::format("{}.{}.{}-{}-{}{}", target, host_name(), number, start_of(number), attempt,
                     ending);
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

}  // namespace op2::comm
