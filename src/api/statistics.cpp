// SPDX-License-Identifier: BSD-3-Clause
// What a program asks of the session that it observes: timers, statistics, regions, and what it
// prints.
#include <cstdarg>
#include <cstdio>
#include <ctime>

#include <op2/region.hpp>
#include <op2/runtime.hpp>

#include <api/report.hpp>
#include <api/session.hpp>
#include <core/error.hpp>
#include <core/validate.hpp>

namespace {

/// Nothing without a session, or if no loop of this name has run.
const op2::core::LoopRow* row_of(const char* loop_name) {
  const auto* runtime = op2::api::session_or_null();
  return runtime != nullptr ? runtime->measurements.table.find(loop_name) : nullptr;
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
  return row == nullptr
             ? op_loop_statistics{}
             : op_loop_statistics{row->interior, row->elements - row->interior, row->redundant};
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

std::int64_t op2::detail::begin_region(const char* name) {
  auto& runtime = op2::api::running("op_region");
  op2::core::check_name("op_region", name);
  const std::int64_t begun = runtime.measurements.profile.begin_region(name);
  runtime.queue.set_region(runtime.measurements.profile.region());
  return begun;
}

void op2::detail::end_region(std::int64_t begun) noexcept {
  op2::api::Runtime* const runtime = op2::api::session_or_null();
  if (runtime == nullptr || runtime->forked() || !runtime->is_on_its_thread()) return;
  runtime->measurements.profile.end_region(begun);
  runtime->queue.set_region(runtime->measurements.profile.region());
}

void op_region_begin(const char* name) {
  static_cast<void>(op2::detail::begin_region(name));
}

void op_region_end() {
  auto& runtime = op2::api::running();
  if (!runtime.measurements.profile.end_region())
    op2::core::fail(
        op2::ErrorCode::bad_range,
        "a region ends that has not begun: op_region_end, 0 are open; call op_region_begin "
        "before it");
  runtime.queue.set_region(runtime.measurements.profile.region());
}
