// SPDX-License-Identifier: BSD-3-Clause
// A lease on a file, as a file server holds it. For tests.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <string>

namespace op2::test {

/// Lets nobody open the file at once; gives the lease up when the system asks for that, or only at
/// its end. One at a time.
class Lease {
 public:
  enum class Until { asked, end };
  explicit Lease(const std::string& path, Until until = Until::asked) {
    descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    const auto give_up = [](int) { ::fcntl(descriptor, F_SETLEASE, F_UNLCK); };
    old_ = std::signal(SIGIO, until == Until::asked ? give_up : SIG_IGN);
    held_ = ::fcntl(descriptor, F_SETLEASE, F_WRLCK) == 0;
  }
  ~Lease() {
    ::close(descriptor);
    std::signal(SIGIO, old_);
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  /// Whether the file system has leases.
  bool held() const { return held_; }

 private:
  static inline int descriptor = -1;
  void (*old_)(int);
  bool held_ = false;
};

}  // namespace op2::test
