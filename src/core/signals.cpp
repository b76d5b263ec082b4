// SPDX-License-Identifier: BSD-3-Clause
// The handler of a signal has nothing but static memory: as crash_report.cpp, this file is an
// exception to the rule that the library has one mutable global.
#include <core/signals.hpp>

#include <atomic>
#include <cerrno>
#include <system_error>

#include <core/error.hpp>

namespace op2::core {
namespace {

std::atomic<bool> has_come_now;
static_assert(std::atomic<bool>::is_always_lock_free);

void note(int) {
  has_come_now = true;
}

}  // namespace

SignalFlag::SignalFlag(int signal) : signal_(signal), before_{} {
  has_come_now = false;
  struct sigaction action{};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;
  if (::sigaction(signal, &action, &before_) != 0)
    fail(ErrorCode::bad_range,
         "the signal cannot be handled: number {}, {}; choose another one, e.g. SIGUSR1 ({})",
         signal, std::generic_category().message(errno), SIGUSR1);
}

SignalFlag::~SignalFlag() {
  ::sigaction(signal_, &before_, nullptr);
}

bool SignalFlag::has_come() const {
  return has_come_now;
}

}  // namespace op2::core
