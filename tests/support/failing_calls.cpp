// SPDX-License-Identifier: BSD-3-Clause
#include <support/failing_calls.hpp>

#include <dlfcn.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>

namespace {

using Then = op2::test::FailingCall::Then;

struct Plan {
  std::atomic<bool> armed = false;
  std::atomic<int> calls = 0;
  int k = 0;
  Then then = Then::work;
  std::string folder;
};
Plan plan;

enum class Outcome { work, fail, part };

Outcome outcome_for(const std::string& path, bool writes) {
  if (!plan.armed || !path.starts_with(plan.folder)) return Outcome::work;
  const int call = ++plan.calls;
  if (plan.then == Then::be_short) return call == plan.k && writes ? Outcome::part : Outcome::work;
  const bool fails = call == plan.k || (call > plan.k && plan.then == Then::be_full && writes);
  if (fails) errno = plan.then == Then::be_full ? ENOSPC : EIO;
  return fails ? Outcome::fail : Outcome::work;
}

Outcome outcome_for(int descriptor, bool writes) {
  if (!plan.armed) return Outcome::work;
  std::array<char, 4096> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t length = ::readlink(link.c_str(), path.data(), path.size() - 1);
  const int error = errno;
  const Outcome outcome = outcome_for(length > 0 ? path.data() : "", writes);
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
  const Outcome outcome = outcome_for(descriptor, true);
  if (outcome == Outcome::fail) return -1;
  return write(outcome == Outcome::part ? std::max<std::size_t>(1, bytes / 2) : bytes);
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
  return outcome_for(file, false) == Outcome::fail ? -1 : real(file);
}

int ftruncate(int file, off_t bytes) noexcept {
  static auto* const real = next<int(int, off_t)>("ftruncate");
  return outcome_for(file, false) == Outcome::fail ? -1 : real(file, bytes);
}

int ftruncate64(int file, off64_t bytes) noexcept {
  return ftruncate(file, bytes);
}

/// A file is closed even if that is an error, as by the system.
int close(int file) {
  static auto* const real = next<int(int)>("close");
  const bool fails = outcome_for(file, false) == Outcome::fail;
  const int error = errno;
  const int closed = real(file);
  if (!fails) return closed;
  errno = error;
  return -1;
}

int rename(const char* from, const char* to) noexcept {
  static auto* const real = next<int(const char*, const char*)>("rename");
  return outcome_for(std::string(from), false) == Outcome::fail ? -1 : real(from, to);
}

}  // extern "C"
#pragma GCC visibility pop

namespace op2::test {

FailingCall::FailingCall(const std::string& folder, int k, Then then) {
  plan.folder = folder;
  plan.k = k;
  plan.then = then;
  plan.calls = 0;
  plan.armed = true;
}

FailingCall::~FailingCall() {
  plan.armed = false;
}

bool FailingCall::happened() const {
  return plan.calls >= plan.k;
}

}  // namespace op2::test
