// SPDX-License-Identifier: BSD-3-Clause
#include <cstdarg>
#include <cstdio>
#include <ctime>

#include <op2/runtime.hpp>

#include <api/report.hpp>
#include <api/session.hpp>
#include <core/validate.hpp>

namespace {

/// Nothing without a session, or if no loop of this name has run.
const op2::core::LoopRow* row_of(const char* loop_name) {
  const auto* runtime = op2::api::session_or_null();
  return runtime != nullptr ? runtime->table.find(loop_name) : nullptr;
}

}  // namespace

void op_printf(const char* format, ...) {
  if (!op_is_root()) return;
  std::va_list args;
  va_start(args, format);
  std::vprintf(format, args);
  va_end(args);
  std::fflush(stdout);
}

void op_timers(double* cpu, double* wall) {
  auto& runtime = op2::api::usable();
  runtime.finish();
  if (cpu != nullptr) *cpu = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  if (wall != nullptr) *wall = runtime.ranks().seconds();
}

op_jit_statistics op_get_jit_statistics() {
  return op2::api::running().jit_statistics();
}

op_chain_statistics op_get_chain_statistics() {
  const auto* runtime = op2::api::session_or_null();
  return runtime != nullptr ? runtime->engine.statistics() : op_chain_statistics{};
}

std::int64_t op_get_loop_iterations(const char* loop_name) {
  const auto* row = row_of(loop_name);
  return row != nullptr ? row->elements : 0;
}

std::int64_t op_get_tiled_iterations(const char* loop_name) {
  const auto* row = row_of(loop_name);
  return row != nullptr ? row->tiled : 0;
}

op_loop_statistics op_get_loop_statistics(const char* loop_name) {
  const auto* row = row_of(loop_name);
  return row == nullptr ? op_loop_statistics{}
                        : op_loop_statistics{row->interior, row->elements - row->interior,
                                             row->redundant};
}

op_halo_statistics op_get_halo_statistics(op_dat dat) {
  const auto& runtime = op2::api::running();
  op2::core::check_handle(runtime.mesh, "op_get_halo_statistics", dat);
  return runtime.engine.statistics_of(*op2::core::record_of(dat));
}

void op_timing_output() {
  auto& runtime = op2::api::usable();
  runtime.flush();
  op2::api::print_timing(runtime);
}
