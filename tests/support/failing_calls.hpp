// SPDX-License-Identifier: BSD-3-Clause
// Lets one call of the system fail that changes a file. For test programs that are linked with
// failing_calls.cpp: it replaces write, pwrite, fsync, ftruncate, copy_file_range, close and rename
// for the whole program, libraries included.
#pragma once

#include <cerrno>
#include <string>

namespace op2::test {

/// While it lives, the k-th of these calls on a file in `folder` fails, from 1. One at a time.
class FailingCall {
 public:
  enum class Then {
    work,     ///< later calls work: EIO
    be_full,  ///< no later call can write: ENOSPC, as on a full disk
    be_short  ///< no error: the call writes only a part, as the system may
  };
  FailingCall(const std::string& folder, int k, Then then = Then::work);
  ~FailingCall();
  FailingCall(const FailingCall&) = delete;
  FailingCall& operator=(const FailingCall&) = delete;

  /// Whether there were so many calls.
  bool happened() const;
};

}  // namespace op2::test
