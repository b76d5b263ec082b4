// SPDX-License-Identifier: BSD-3-Clause
// The handlers of signals have nothing but static memory: this file is an exception to the rule
// that the library has one mutable global.
#include <core/signals.hpp>

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstring>
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

namespace {

struct Watched {
  int number;
  const char* name;
};
constexpr std::array watched{Watched{SIGSEGV, "SIGSEGV"}, Watched{SIGBUS, "SIGBUS"},
                             Watched{SIGFPE, "SIGFPE"}, Watched{SIGILL, "SIGILL"}};

enum class Line { none, begun, written };

struct State {
  std::array<struct sigaction, watched.size()> before;  ///< what is set while this library is not
  std::atomic<Line> line;
  std::array<char, 64> prefix;
};
State state;

/// The model makes the address known without an allocation in the handler.
[[gnu::tls_model("initial-exec")]] thread_local const RunningCode* running = nullptr;
[[gnu::tls_model("initial-exec")]] thread_local bool was_here = false;  ///< in `on_signal`

void report(const Watched& signal, const void* address) {
  SignalText text;
  text << "op2 error: " << state.prefix.data() << "a kernel crashed: ";
  running->describe(text);
  text << ", " << signal.name << " at address ";
  text.hex(reinterpret_cast<std::uintptr_t>(address))
      << "; check indices, divisors and pointers in it, share/doc/op2/docs/debugging.md shows "
         "how\n";
  text.write();
}

/// The first of the threads that fault reports; the others wait for it, since what they do next may
/// end the process.
void report_once(const Watched& signal, const void* address) {
  constexpr int write_timeout = 1000;  // milliseconds
  Line none = Line::none;
  if (state.line.compare_exchange_strong(none, Line::begun)) {
    report(signal, address);
    state.line = Line::written;
  }
  for (int k = 0; k < write_timeout && state.line != Line::written; ++k) poll(nullptr, 0, 1);
}

/// Reports, puts back what was set before and returns: the faulting instruction runs again, so a
/// debugger, a core dump or the next handler sees the fault as if this handler did not exist. One
/// that only puts this handler back, as an earlier handler, ends with the default action.
void on_signal(int number, siginfo_t* info, void*) {
  const auto* const signal = std::ranges::find(watched, number, &Watched::number);
  const bool is_sent = info->si_code <= 0;  // by a process: nothing would happen again
  if (running != nullptr && !is_sent) report_once(*signal, info->si_addr);
  struct sigaction standard{};
  standard.sa_handler = SIG_DFL;
  const auto& before = state.before[static_cast<std::size_t>(signal - watched.begin())];
  sigaction(number, was_here ? &standard : &before, nullptr);
  was_here = true;
  if (is_sent) raise(number);
}

bool is_own(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == on_signal;
}

}  // namespace

SignalText& SignalText::operator<<(std::string_view text) {
  const std::size_t fits = std::min(text.size(), sizeof text_ - size_);
  std::memcpy(text_ + size_, text.data(), fits);
  size_ += fits;
  return *this;
}

SignalText& SignalText::add(std::uint64_t number, int base) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, number, base).ptr;
  return *this << std::string_view(digits, static_cast<std::size_t>(end - digits));
}

void SignalText::write() const {
  static_cast<void>(!::write(STDERR_FILENO, text_, size_));
}

RunningHere::RunningHere(const RunningCode& code) {
  running = &code;
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

RunningHere::~RunningHere() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  running = nullptr;
}

CrashReport::CrashReport(bool on, const std::string& prefix) : on_(on) {
  if (!on) return;
  state.line = Line::none;
  was_here = false;
  state.prefix.fill('\0');
  prefix.copy(state.prefix.data(), state.prefix.size() - 1);
  struct sigaction own{};
  own.sa_sigaction = on_signal;
  own.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&own.sa_mask);
  for (std::size_t k = 0; k < watched.size(); ++k) {
    struct sigaction before{};
    sigaction(watched[k].number, nullptr, &before);
    if (is_own(before)) continue;  // put back by the program: what was set before this one counts
    state.before[k] = before;
    const bool is_ignored = (before.sa_flags & SA_SIGINFO) == 0 && before.sa_handler == SIG_IGN;
    if (!is_ignored) sigaction(watched[k].number, &own, nullptr);
  }
}

CrashReport::~CrashReport() {
  if (!on_) return;
  for (std::size_t k = 0; k < watched.size(); ++k) {
    struct sigaction now{};
    sigaction(watched[k].number, nullptr, &now);
    if (is_own(now)) sigaction(watched[k].number, &state.before[k], nullptr);
  }
}

}  // namespace op2::core
