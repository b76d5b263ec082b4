// SPDX-License-Identifier: BSD-3-Clause
// Signals: which threads take them, calls that they interrupt, and one that lets a program end in
// order.
#pragma once

#include <cerrno>
#include <csignal>
#include <initializer_list>

namespace op2::core {

/// Blocks signals on this thread for the life of the object. Threads inherit the mask, so a
/// thread that is started meanwhile never takes a signal that the program's threads wait for.
/// Faults are not blocked: they belong to the thread that has them, and a blocked one would end the
/// process without calling its handler.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigdelset(&all, fault);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

/// Repeats a call of the system while a signal interrupts it (EINTR). Returns its result.
auto uninterrupted(const auto& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

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
