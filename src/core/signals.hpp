// SPDX-License-Identifier: BSD-3-Clause
// Leaves signals to the program's own threads.
#pragma once

#include <csignal>

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

}  // namespace op2::core
