// SPDX-License-Identifier: BSD-3-Clause
// Notes that a signal has come, so that the program can end in order.
#pragma once

#include <csignal>

namespace op2::core {

/// Handles a signal for the life of the object; then the program's handler counts again. At most
/// one object at a time.
class SignalFlag {
 public:
  /// @throws Error bad_range: the system does not let this signal be handled
  explicit SignalFlag(int signal);
  ~SignalFlag();
  SignalFlag(const SignalFlag&) = delete;
  SignalFlag& operator=(const SignalFlag&) = delete;

  /// Whether the process has got it since this object began. Local.
  bool has_come() const;

 private:
  const int signal_;
  struct sigaction before_;
};

}  // namespace op2::core
