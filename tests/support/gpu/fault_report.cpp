// SPDX-License-Identifier: BSD-3-Clause
#include "fault_report.hpp"

#include <execinfo.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

#include "arena.hpp"

namespace op2::test::gpu {

FaultReport& FaultReport::instance() {
  static FaultReport only;
  return only;
}

FaultReport::FaultReport() {
  void* frame = nullptr;
  ::backtrace(&frame, 1);  // the first call allocates, which a handler must not
  struct sigaction action{};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGSEGV, &action, &before_);
}

void FaultReport::add(const Arena& arena) {
  for (auto& place : arenas_) {
    const Arena* nobody = nullptr;
    if (place.compare_exchange_strong(nobody, &arena)) return;
  }
  throw std::runtime_error("too many emulated devices at the same time");
}

void FaultReport::remove(const Arena& arena) {
  for (auto& place : arenas_) {
    const Arena* expected = &arena;
    if (place.compare_exchange_strong(expected, nullptr)) return;
  }
}

void FaultReport::handle(int, siginfo_t* info, void*) {
  instance().report(info->si_addr);
  ::sigaction(SIGSEGV, &instance().before_, nullptr);  // the access is tried again, and faults
}

void FaultReport::report(const void* address) const {
  for (const auto& place : arenas_) {
    const Arena* arena = place.load();
    const std::string why = arena != nullptr ? arena->explain_fault(address) : std::string();
    if (why.empty()) continue;
    const std::string message = "emulated device '" + arena->device() + "': " + why + "\n";
    if (::write(STDERR_FILENO, message.data(), message.size()) < 0) ::_exit(fault_exit_code);
    std::array<void*, 32> frames{};
    const int depth = ::backtrace(frames.data(), static_cast<int>(frames.size()));
    ::backtrace_symbols_fd(frames.data(), depth, STDERR_FILENO);
    ::_exit(fault_exit_code);
  }
}

}  // namespace op2::test::gpu
