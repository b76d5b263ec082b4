// SPDX-License-Identifier: BSD-3-Clause
// Signals: which threads take them, calls that they interrupt, one that lets a program end in
// order, and which loop a thread was running when the signal of a fault ends the program.
#pragma once

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

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

/// Text made by the handler of a signal: allocates nothing, takes no lock, and is cut when full.
class SignalText {
 public:
  SignalText& operator<<(std::string_view text);
  SignalText& operator<<(std::uint64_t number) { return add(number, 10); }
  SignalText& hex(std::uint64_t number) { return (*this << "0x").add(number, 16); }
  /// To stderr.
  void write() const;

 private:
  SignalText& add(std::uint64_t number, int base);
  char text_[1024];
  std::size_t size_ = 0;
};

/// What a thread is running. Derived classes are plain data.
class RunningCode {
 public:
  /// Adds the names of the loops and their call sites; called by the handler of a signal.
  virtual void describe(SignalText& text) const = 0;

 protected:
  ~RunningCode() = default;
};

/// States what this thread runs, for the life of the object. Cost: two stores.
class RunningHere {
 public:
  explicit RunningHere(const RunningCode& code);
  ~RunningHere();
  RunningHere(const RunningHere&) = delete;
  RunningHere& operator=(const RunningHere&) = delete;
};

/// While it lives, SIGSEGV, SIGBUS, SIGFPE and SIGILL in a loop write one line to stderr. They then
/// have the effect that they had before: the handler of the program or of MPI runs, or the process
/// ends with a core dump at the faulting instruction. A signal that is ignored stays so, and a
/// handler that the program sets later replaces this one.
class CrashReport {
 public:
  /// @param on      false: does nothing
  /// @param prefix  of the line, as in the log: "[rank 1/4] "
  CrashReport(bool on, const std::string& prefix);
  ~CrashReport();
  CrashReport(const CrashReport&) = delete;
  CrashReport& operator=(const CrashReport&) = delete;

 private:
  bool on_;
};

}  // namespace op2::core
