// SPDX-License-Identifier: BSD-3-Clause
#include <support/failing_calls.hpp>

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdarg>
#include <cstdio>

namespace {

using Then = op2::test::FailingCall::Then;

struct Plan {
  std::atomic<bool> armed = false;
  std::atomic<int> calls = 0;
  std::atomic<int> created = -1;  ///< permissions
  std::atomic<bool> renamed_unlocked = false;
  std::atomic<bool> like_nfs = false;
  std::atomic<bool> holds_renaming = false;
  int k = 0;
  Then then = Then::work;
  std::string folder;
  std::atomic<int> exchanges = 0;  ///< how many are left
  std::string exchanged, other;
};
Plan plan;

enum class Outcome { work, fail, part };
enum class Kind {
  writes,
  waits,
  other
};  ///< calls that wait may be interrupted, as those that write

Outcome outcome_for(const std::string& path, Kind kind) {
  const bool writes = kind == Kind::writes;
  if (!plan.armed || !path.starts_with(plan.folder)) return Outcome::work;
  const int call = ++plan.calls;
  if (plan.then == Then::be_killed && call == plan.k) std::raise(SIGKILL);
  if (plan.then == Then::be_short) return call == plan.k && writes ? Outcome::part : Outcome::work;
  if (plan.then == Then::be_interrupted) {
    if (call != plan.k || kind == Kind::other) return Outcome::work;
    errno = EINTR;
    return Outcome::fail;
  }
  if (plan.then == Then::be_killed) return Outcome::work;
  const bool fails = call == plan.k || (call > plan.k && plan.then == Then::be_full && writes);
  if (fails) errno = plan.then == Then::be_full ? ENOSPC : EIO;
  return fails ? Outcome::fail : Outcome::work;
}

Outcome outcome_for(int descriptor, Kind kind) {
  if (!plan.armed) return Outcome::work;
  std::array<char, 4096> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t length = ::readlink(link.c_str(), path.data(), path.size() - 1);
  const int error = errno;
  const Outcome outcome = outcome_for(std::string(length > 0 ? path.data() : ""), kind);
  if (outcome != Outcome::fail) errno = error;
  return outcome;
}

/// The function of this name that the program would have without this file.
template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

/// Calls write(bytes) with all bytes, with a part of them, or not at all.
template <class Write>
ssize_t write_as_planned(int descriptor, std::size_t bytes, const Write& write) {
  const Outcome outcome = outcome_for(descriptor, Kind::writes);
  if (outcome == Outcome::fail) return -1;
  return write(outcome == Outcome::part ? std::max<std::size_t>(1, bytes / 2) : bytes);
}

/// Opens a file as planned; `mode` counts if it is created.
int open_as_planned(const char* path, int flags, mode_t mode) {
  static auto* const real = next<int(const char*, int, ...)>("open64");
  if (outcome_for(std::string(path), Kind::waits) == Outcome::fail) return -1;
  if (plan.armed && mode != 0 && plan.created < 0) plan.created = static_cast<int>(mode);
  const int descriptor = real(path, flags, mode);
  if (plan.exchanges > 0 && plan.exchanged == path) {
    --plan.exchanges;
    ::syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, plan.other.c_str(), RENAME_EXCHANGE);
  }
  return descriptor;
}

int stat_as_planned(const char* path, struct stat* status) {
  static auto* const real = next<int(const char*, struct stat*)>("stat");
  return outcome_for(std::string(path), Kind::other) == Outcome::fail ? -1 : real(path, status);
}

/// Notes whether a file is renamed that other processes could lock.
Outcome outcome_of_renaming(const char* from) {
  if (plan.holds_renaming && std::string(from).starts_with(plan.folder))
    plan.holds_renaming.wait(true);
  if (plan.armed && std::string(from).starts_with(plan.folder)) {
    static auto* const open_file = next<int(const char*, int, ...)>("open64");
    static auto* const lock = next<int(int, int)>("flock");
    static auto* const close_file = next<int(int)>("close");
    const int file = open_file(from, O_RDWR | O_CLOEXEC);
    if (file >= 0 && lock(file, LOCK_EX | LOCK_NB) == 0) plan.renamed_unlocked = true;
    close_file(file);
  }
  return outcome_for(std::string(from), Kind::other);
}

}  // namespace

#pragma GCC visibility push(default)  // so that libraries call these, too
extern "C" {

ssize_t write(int file, const void* data, std::size_t bytes) {
  static auto* const real = next<ssize_t(int, const void*, std::size_t)>("write");
  return write_as_planned(file, bytes, [&](std::size_t some) { return real(file, data, some); });
}

ssize_t pwrite(int file, const void* data, std::size_t bytes, off_t offset) {
  static auto* const real = next<ssize_t(int, const void*, std::size_t, off_t)>("pwrite");
  return write_as_planned(file, bytes,
                          [&](std::size_t some) { return real(file, data, some, offset); });
}

ssize_t pwrite64(int file, const void* data, std::size_t bytes, off64_t offset) {
  return pwrite(file, data, bytes, offset);
}

ssize_t copy_file_range(int from, off64_t* in, int to, off64_t* out, std::size_t bytes,
                        unsigned flags) {
  static auto* const real =
      next<ssize_t(int, off64_t*, int, off64_t*, std::size_t, unsigned)>("copy_file_range");
  return write_as_planned(to, bytes,
                          [&](std::size_t some) { return real(from, in, to, out, some, flags); });
}

int fsync(int file) {
  static auto* const real = next<int(int)>("fsync");
  return outcome_for(file, Kind::waits) == Outcome::fail ? -1 : real(file);
}

/// An error of the disk is reported by the call that waits.
int sync_file_range(int file, off64_t offset, off64_t bytes, unsigned flags) {
  static auto* const real = next<int(int, off64_t, off64_t, unsigned)>("sync_file_range");
  return outcome_for(file, Kind::waits) == Outcome::fail ? -1 : real(file, offset, bytes, flags);
}

int ftruncate(int file, off_t bytes) noexcept {
  static auto* const real = next<int(int, off_t)>("ftruncate");
  return outcome_for(file, Kind::waits) == Outcome::fail ? -1 : real(file, bytes);
}

int ftruncate64(int file, off64_t bytes) noexcept {
  return ftruncate(file, bytes);
}

/// A file is closed even if that is an error, as by the system.
int close(int file) {
  static auto* const real = next<int(int)>("close");
  const bool fails = outcome_for(file, Kind::waits) == Outcome::fail;
  const int error = errno;
  const int closed = real(file);
  if (!fails) return closed;
  errno = error;
  return -1;
}

int rename(const char* from, const char* to) noexcept {
  static auto* const real = next<int(const char*, const char*)>("rename");
  return outcome_of_renaming(from) == Outcome::fail ? -1 : real(from, to);
}

int renameat2(int in, const char* from, int there, const char* to, unsigned flags) noexcept {
  static auto* const real = next<int(int, const char*, int, const char*, unsigned)>("renameat2");
  if (outcome_of_renaming(from) == Outcome::fail) return -1;
  if (!plan.like_nfs) return real(in, from, there, to, flags);
  errno = EINVAL;
  return -1;
}

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return open_as_planned(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return open_as_planned(path, flags, mode);
}

int access(const char* path, int mode) noexcept {
  static auto* const real = next<int(const char*, int)>("access");
  return outcome_for(std::string(path), Kind::other) == Outcome::fail ? -1 : real(path, mode);
}

int stat(const char* path, struct stat* status) noexcept {
  return stat_as_planned(path, status);
}

int stat64(const char* path, struct stat64* status) noexcept {
  static_assert(sizeof(struct stat64) == sizeof(struct stat));
  return stat_as_planned(path, reinterpret_cast<struct stat*>(status));
}

int flock(int file, int operation) noexcept {
  static auto* const real = next<int(int, int)>("flock");
  if (outcome_for(file, Kind::waits) == Outcome::fail) return -1;
  const bool exclusive = (operation & LOCK_EX) != 0;
  if (!plan.like_nfs || !exclusive || (::fcntl(file, F_GETFL) & O_ACCMODE) != O_RDONLY)
    return real(file, operation);
  errno = EBADF;
  return -1;
}

int fstatfs(int file, struct statfs* status) noexcept {
  static auto* const real = next<int(int, struct statfs*)>("fstatfs");
  const int result = real(file, status);
  if (result == 0 && plan.like_nfs) status->f_type = NFS_SUPER_MAGIC;
  return result;
}

int fstatfs64(int file, struct statfs64* status) noexcept {
  return fstatfs(file, reinterpret_cast<struct statfs*>(status));
}

}  // extern "C"
#pragma GCC visibility pop

namespace op2::test {

FailingCall::FailingCall(const std::string& folder, int k, Then then) {
  plan.folder = folder;
  plan.k = k;
  plan.then = then;
  plan.calls = 0;
  plan.created = -1;
  plan.renamed_unlocked = false;
  plan.armed = true;
}

FailingCall::~FailingCall() {
  plan.armed = false;
}

bool FailingCall::happened() const {
  return plan.calls >= plan.k;
}

std::optional<unsigned> FailingCall::created() const {
  if (plan.created < 0) return {};
  return static_cast<unsigned>(plan.created);
}

bool FailingCall::renamed_unlocked() const {
  return plan.renamed_unlocked;
}

HeldRenaming::HeldRenaming(const std::string& folder) {
  plan.folder = folder;
  plan.holds_renaming = true;
}

HeldRenaming::~HeldRenaming() {
  release();
}

void HeldRenaming::release() {
  plan.holds_renaming = false;
  plan.holds_renaming.notify_all();
}

ExchangedFiles::ExchangedFiles(const std::string& path, const std::string& other, int times) {
  plan.exchanged = path;
  plan.other = other;
  plan.exchanges = times;
}

ExchangedFiles::~ExchangedFiles() {
  plan.exchanges = 0;
}

LikeNfs::LikeNfs() {
  plan.like_nfs = true;
}

LikeNfs::~LikeNfs() {
  plan.like_nfs = false;
}

}  // namespace op2::test
