// SPDX-License-Identifier: BSD-3-Clause
// What the compilation of one kernel may cost: OP2_JIT_LIMIT.
#pragma once

#include <chrono>
#include <cstdint>

namespace op2::jit {

struct CompileLimit {
  std::int64_t seconds = 60;                             ///< of CPU time
  std::int64_t memory_bytes = std::int64_t{2048} << 20;  ///< resident, of the compiling process
  bool operator==(const CompileLimit&) const = default;
};

/// Ten times the CPU time, by the clock: a process that is silent for longer does not share its
/// core with others, but stands still.
inline std::chrono::milliseconds answer_timeout_for(const CompileLimit& limit) {
  return 10 * std::chrono::seconds(limit.seconds);
}

}  // namespace op2::jit
