// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <ctime>

#include <op2/runtime.hpp>

#include <api/session.hpp>

void op_printf(const char* format, ...) {
  std::va_list args;
  va_start(args, format);
  std::vprintf(format, args);
  va_end(args);
  std::fflush(stdout);
}

void op_timers(double* cpu, double* wall) {
  op2::api::usable().flush();
  if (cpu != nullptr) *cpu = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  if (wall != nullptr)
    *wall =
        std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

op_jit_statistics op_get_jit_statistics() {
  return op2::api::running().jit.statistics();
}

op_chain_statistics op_get_chain_statistics() {
  op_chain_statistics statistics{};
  for (const auto& row : op2::api::running().table.rows())
    statistics.core_iterations += row.elements;
  return statistics;
}

std::int64_t op_get_loop_iterations(const char* loop_name) {
  std::int64_t iterations = 0;
  for (const auto& row : op2::api::running().table.rows())
    if (row.name == loop_name) iterations += row.elements;
  return iterations;
}

void op_timing_output() {
  auto& runtime = op2::api::usable();
  runtime.flush();
  const op_jit_statistics jit = runtime.jit.statistics();
  op_printf("%s", op2::core::table_as_text(runtime.table).c_str());
  op_printf(
      "JIT: %lld compiled in %.3f s, %lld from the cache directory, %lld received, "
      "%lld from memory; loops waited %.3f s\n",
      static_cast<long long>(jit.compiled), jit.compile_seconds,
      static_cast<long long>(jit.disk_hits), static_cast<long long>(jit.received),
      static_cast<long long>(jit.memory_hits), jit.wait_seconds);
}
