// SPDX-License-Identifier: BSD-3-Clause
#include <jit/remote/program/limit_watch.hpp>

#include <sys/resource.h>
#include <sys/time.h>

#include <chrono>
#include <utility>

#include <fmt/format.h>

namespace op2::jit {
namespace {

constexpr std::chrono::milliseconds period{20};

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

/// Empty if the use is allowed.
std::string excess(const ProcessUse& use, double before, const CompileLimit& limit) {
  if (use.seconds - before > static_cast<double>(limit.seconds))
    return fmt::format("more than {} s of CPU time", limit.seconds);
  if (use.memory_bytes > limit.memory_bytes)
    return fmt::format("more than {} MiB of memory", limit.memory_bytes >> 20);
  return {};
}

}  // namespace

ProcessUse use_of_process() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return {seconds_of(use.ru_utime) + seconds_of(use.ru_stime), std::int64_t{use.ru_maxrss} * 1024};
}

LimitWatch::LimitWatch(const CompileLimit& limit, std::function<void(const std::string&)> exceeded)
    : limit_(limit),
      exceeded_(std::move(exceeded)),
      before_(use_of_process().seconds),
      thread_([this] { watch(); }) {}

LimitWatch::~LimitWatch() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void LimitWatch::watch() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, period, [this] { return is_over_; })) {
    const std::string what = excess(use_of_process(), before_, limit_);
    if (!what.empty()) return exceeded_(what);
  }
}

}  // namespace op2::jit
