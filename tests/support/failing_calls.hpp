// SPDX-License-Identifier: BSD-3-Clause
// Lets one call of the system fail that looks for, opens or changes a file. For test programs that
// are linked with failing_calls.cpp: it replaces access, open, stat, flock, write, pwrite, fsync,
// sync_file_range, ftruncate, copy_file_range, close, rename, renameat2 and fstatfs for the whole
// program, libraries included.
#pragma once

#include <cerrno>
#include <optional>
#include <string>

namespace op2::test {

/// While it lives, the k-th of these calls on a file in `folder` fails, from 1. One at a time.
class FailingCall {
 public:
  enum class Then {
    work,            ///< later calls work: EIO
    be_full,         ///< no later call can write: ENOSPC, as on a full disk
    be_short,        ///< no error: the call writes only a part, as the system may
    be_interrupted,  ///< by a signal: EINTR, where the system may say so
    be_killed        ///< the process, before the call
  };
  FailingCall(const std::string& folder, int k, Then then = Then::work);
  ~FailingCall();
  FailingCall(const FailingCall&) = delete;
  FailingCall& operator=(const FailingCall&) = delete;

  /// Whether there were so many calls.
  bool happened() const;
  /// The permissions with which the first file was created.
  std::optional<unsigned> created() const;
  /// Whether a file got another name while any process could have locked it.
  bool renamed_unlocked() const;
};

/// While it lives, all files seem to be on NFS: an exclusive lock needs a descriptor that may
/// write, and a file cannot be renamed on the condition that the new name is free. One at a time.
class LikeNfs {
 public:
  LikeNfs();
  ~LikeNfs();
  LikeNfs(const LikeNfs&) = delete;
  LikeNfs& operator=(const LikeNfs&) = delete;
};

/// While it lives, two files exchange their names after each of the first `times` openings of the
/// first name, as if another process replaced it each time. One at a time.
class ExchangedFiles {
 public:
  ExchangedFiles(const std::string& path, const std::string& other, int times);
  ~ExchangedFiles();
  ExchangedFiles(const ExchangedFiles&) = delete;
  ExchangedFiles& operator=(const ExchangedFiles&) = delete;
};

/// While it lives, calls that rename a file in `folder` wait for `release`. One at a time.
class HeldRenaming {
 public:
  explicit HeldRenaming(const std::string& folder);
  ~HeldRenaming();
  HeldRenaming(const HeldRenaming&) = delete;
  HeldRenaming& operator=(const HeldRenaming&) = delete;

  void release();
};

}  // namespace op2::test
