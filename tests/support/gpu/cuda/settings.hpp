// SPDX-License-Identifier: BSD-3-Clause
// What a test asks of the emulated machine, by environment variables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "../arena.hpp"
#include "../work_queues.hpp"

namespace op2::test::gpu::cuda {

struct Settings {
  Schedule schedule{};       ///< OP2_EMU_ORDER, as parse_schedule reads it
  std::int64_t fail_at = 0;  ///< OP2_EMU_FAIL=k:code: the k-th call of any function fails
  std::string failing;       ///< OP2_EMU_FAIL=function:code: each call of the function fails
  int fail_code = 0;
  std::string omitted;  ///< OP2_EMU_OMIT=function:k: the k-th call of the function does nothing
  std::int64_t omit_at = 0;
  int devices = 1;        ///< OP2_EMU_DEVICES
  long long machine = 0;  ///< OP2_EMU_MACHINE: processes with equal numbers share devices
  std::size_t memory = std::size_t{2} << 30;  ///< OP2_EMU_MEMORY: bytes of each device
  int capability = 90;                        ///< OP2_EMU_CAPABILITY: ten times that of each device
  HostAccess host = HostAccess::forbidden;    ///< OP2_EMU_HOST=open: allowed
  bool absent_allowed = false;  ///< OP2_EMU_ABSENT=allowed: to ask a module for what it lacks
  bool contracts = false;  ///< OP2_EMU_FMA=on: a * b + c is rounded once where options allow it
  std::string report;      ///< OP2_EMU_REPORT: a file for what is found wrong
};

/// @throws std::invalid_argument
Settings read_settings();

}  // namespace op2::test::gpu::cuda
