// SPDX-License-Identifier: BSD-3-Clause
#include <jit/perf_map.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

namespace op2::jit {

/// One call of write, which other threads and processes do not interrupt. Not through a link, since
/// anyone can write to /tmp.
bool tell_perf(const CodeSymbols& code, const std::string& path) {
  std::string lines;
  for (const CodeSymbols::Function& function : code.functions)
    lines += fmt::format("{:x} {:x} {}\n", function.address, function.size, function.name);
  constexpr int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW;
  const int file = ::open(path.c_str(), flags, 0600);
  if (file < 0) return false;
  const bool written = ::write(file, lines.data(), lines.size()) == std::ssize(lines);
  ::close(file);
  return written;
}

std::string perf_map_path() {
  return fmt::format("/tmp/perf-{}.map", getpid());
}

}  // namespace op2::jit
