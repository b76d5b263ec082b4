// SPDX-License-Identifier: BSD-3-Clause
// Which loop a thread was running when a signal of a fault ends the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace op2::core {

/// Text made by the handler of a signal: allocates nothing, takes no lock, and is cut when full.
class SignalText {
 public:
  SignalText& operator<<(std::string_view text);
  SignalText& operator<<(std::uint64_t number);
  SignalText& hex(std::uint64_t number);
  /// To stderr.
  void write() const;

 private:
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
