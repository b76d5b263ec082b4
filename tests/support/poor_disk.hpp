// SPDX-License-Identifier: BSD-3-Clause
// Disks on which little or nothing can be written. For tests.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include <op2/error.hpp>

namespace op2::test {

/// Lets no file grow beyond `bytes`, as a full disk would, until the end of the scope.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit old_{};
  void (*old_handler_)(int);
};

/// Calls `write` in a child process that has no rights of root, who may write everywhere.
/// @return 0 if that is an error for want of permission
template <class Write>
int status_of_a_write_without_rights(const Write& write) {
  const pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(3);
    try {
      write();
    } catch (const Error& error) {
      _exit(std::string(error.what()).find("Permission denied") == std::string::npos ? 2 : 0);
    }
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

}  // namespace op2::test
