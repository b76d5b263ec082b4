// SPDX-License-Identifier: BSD-3-Clause
// Start and end, timers and messages.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <op2/compat/op2_functions.h>
#include <op2/op2.hpp>

#include <api/session.hpp>
#include <compat/errors.hpp>
#include <core/error.hpp>
#include <core/loop_table.hpp>

namespace op2::compat {

void op_init(int argc, char** argv, int diags) {
  guarded([&] { ::op_init(argc, argv, diags); });
}
void op_init_soa(int argc, char** argv, int diags, int) {
  compat::op_init(argc, argv, diags);
}
void op_mpi_init(int argc, char** argv, int diags, int, int local) {
  guarded([&] { ::op_mpi_init(argc, argv, diags, local); });
}
void op_mpi_init_soa(int argc, char** argv, int diags, int global, int local, int) {
  compat::op_mpi_init(argc, argv, diags, global, local);
}
void op_exit() {
  guarded([] { ::op_exit(); });
}

void op_rank(int* rank) {
  guarded([&] { *rank = ::op_rank(); });
}
int op_is_root() {
  return guarded([] { return ::op_is_root() ? 1 : 0; });
}

void op_printf(const char* format, ...) {
  std::va_list list, again;
  va_start(list, format);
  va_copy(again, list);
  const int length = std::vsnprintf(nullptr, 0, format, list);
  std::vector<char> text(static_cast<std::size_t>(std::max(length, 0)) + 1);
  std::vsnprintf(text.data(), text.size(), format, again);
  va_end(again);
  va_end(list);
  guarded([&] { ::op_printf("%s", text.data()); });
}
void op_print(const char* text) {
  guarded([&] { ::op_printf("%s\n", text); });
}

void op_timers(double* cpu, double* wall) {
  guarded([&] { ::op_timers(cpu, wall); });
}
void op_timers_core(double* cpu, double* wall) {
  compat::op_timers(cpu, wall);
}
void op_timing_output() {
  guarded([] { ::op_timing_output(); });
}
void op_timings_to_csv(const char* path) {
  guarded([&] {
    api::Runtime& runtime = api::usable();
    runtime.flush();
    if (!runtime.ranks().is_root()) return;
    std::ofstream file(path);
    file << core::table_as_csv(runtime.table);
    if (!file.flush()) core::fail(ErrorCode::io_failure, "cannot write '{}'", path);
  });
}
void op_timing_realloc(int) {}

void op_diagnostic_output() {
  guarded([] {
    api::Runtime& runtime = api::usable();
    for (const auto& set : runtime.mesh.sets())
      runtime.log.info(fmt::format("set '{}' of {} elements", set->name, set->global_size));
    for (const auto& map : runtime.mesh.maps())
      runtime.log.info(fmt::format("map '{}' from '{}' to '{}' of arity {}", map->name,
                                   map->from->name, map->to->name, map->dim));
    for (const auto& dat : runtime.mesh.dats())
      runtime.log.info(
          fmt::format("dat '{}' on '{}': {} x{}", dat->name, dat->set->name, dat->type, dat->dim));
  });
}

}  // namespace op2::compat
