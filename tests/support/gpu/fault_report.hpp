// SPDX-License-Identifier: BSD-3-Clause
// Ends the process with a message when it accesses memory of an emulated device that is closed.
#pragma once

#include <signal.h>

#include <array>
#include <atomic>

namespace op2::test::gpu {

class Arena;

/// What a process that accessed closed memory exits with.
inline constexpr int fault_exit_code = 86;

/// One for the process, as there is one handler of a signal. Faults elsewhere go to the handler
/// that was there before.
class FaultReport {
 public:
  static FaultReport& instance();

  void add(const Arena& arena);
  void remove(const Arena& arena);

 private:
  FaultReport();
  static void handle(int signal, siginfo_t* info, void* context);
  void report(const void* address) const;

  std::array<std::atomic<const Arena*>, 256> arenas_{};
  struct sigaction before_{};
};

}  // namespace op2::test::gpu
