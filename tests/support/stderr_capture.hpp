// SPDX-License-Identifier: BSD-3-Clause
// What is written to stderr, also by threads that go on meanwhile.
#pragma once

#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include <support/temporary_directory.hpp>

namespace op2::test {

/// Leads stderr of the process into a file while it lives. Unlike GoogleTest's capture it can be
/// read without being ended: nothing that another thread writes at that moment is lost.
class StderrCapture {
 public:
  StderrCapture() { lead_to(file_.number); }
  ~StderrCapture() { lead_to(before_.number); }
  StderrCapture(const StderrCapture&) = delete;
  StderrCapture& operator=(const StderrCapture&) = delete;

  /// What came since the last call, or since the start.
  std::string news() {
    std::fflush(stderr);
    std::string text = content_of(path_).substr(read_);
    read_ += text.size();
    return text;
  }

 private:
  struct Descriptor {
    int number;
    explicit Descriptor(int opened) : number(opened) {
      if (number < 0) throw std::runtime_error("cannot capture stderr");
    }
    ~Descriptor() { ::close(number); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
  };

  static void lead_to(int file) {
    std::fflush(stderr);
    ::dup2(file, STDERR_FILENO);
  }

  TemporaryDirectory folder_;
  std::string path_ = folder_ / "stderr";
  Descriptor before_{::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)};
  Descriptor file_{::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)};
  std::size_t read_ = 0;
};

}  // namespace op2::test
