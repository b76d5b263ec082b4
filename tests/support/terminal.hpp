// SPDX-License-Identifier: BSD-3-Clause
// A terminal that a test reads.
#pragma once

#include <chrono>
#include <string>

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace op2::test {

/// Leads stderr of the process to a terminal while it lives.
class Terminal {
 public:
  Terminal() {
    EXPECT_EQ(openpty(&here_, &there_, nullptr, nullptr, nullptr), 0);
    before_ = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    dup2(there_, STDERR_FILENO);
  }
  ~Terminal() {
    dup2(before_, STDERR_FILENO);
    for (const int file : {here_, there_, before_}) close(file);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// What it shows until that contains `text`, or for so long.
  std::string wait_for(const std::string& text,
                       std::chrono::milliseconds most = std::chrono::seconds(20)) const {
    const auto end = std::chrono::steady_clock::now() + most;
    std::string all;
    pollfd shown{here_, POLLIN, 0};
    while (all.find(text) == std::string::npos && std::chrono::steady_clock::now() < end) {
      if (poll(&shown, 1, 10) < 1) continue;
      char some[256];
      if (const ssize_t count = read(here_, some, sizeof some); count > 0)
        all.append(some, static_cast<std::size_t>(count));
    }
    return all;
  }

 private:
  int here_ = -1, there_ = -1, before_ = -1;
};

}  // namespace op2::test
