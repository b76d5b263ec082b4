// SPDX-License-Identifier: BSD-3-Clause
// Start and end, also after an error; timers and messages.
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>

#include <op2/compat/op2_functions.h>
#include <op2/compat/op2_stubs.h>
#include <op2/op2.hpp>

#include <api/session.hpp>
#include <comm/messages/mpi_communicator.hpp>
#include <compat/errors.hpp>
#include <compat/program.hpp>
#include <core/clock.hpp>
#include <core/error.hpp>

namespace op2::compat {
namespace {

void flush_output() {
  std::cout.flush();
  std::fflush(nullptr);
}

/// On one rank, programs may rely on `dat->data` and `map->map` being in the declared order as long
/// as they do not call op_renumber, and on several on rows not moving later.
/// @param start  calls the library's op_init
template <class Start>
void begin(int argc, char** argv, int diags, const Start& start) {
  guarded([&] {
    begin_program(argc, argv, diags);
    Program& of = program();
    if (of.mpi_user && !comm::mpi_is_running()) of.mpi_user->begin(argc, argv);
    start();
    if (std::getenv("OP2_RENUMBER") == nullptr) api::usable().rows.keep_order(true);
    api::usable().rows.distinguish(core::deepest_tracked);
    of.rank = ::op_rank();
    report_words(argc, argv);
  });
}

}  // namespace

void end_program(const Error& error) {
  flush_output();
  api::end_job(error);
  flush_output();  // of the handler
  // Without destructors: threads of the library may be loading or compiling.
  _exit(EXIT_FAILURE);
}

void wrong_type(const char* what, const char* name, const char* type, const char* file, int line) {
  guarded([&] {
    const std::string named = name == nullptr ? "" : fmt::format(" '{}'", name);
    const std::string place = fmt::format("{}{} ({}:{})", what, named, file, line);
    type_of(place, type);
    core::fail(ErrorCode::bad_type,
               "wrong type: {}, the values are not of type \"{}\"; pass the type of the values",
               place, type);
  });
}
bool differs(const char* type, const char* name) {
  const std::string_view one = core::without_soa(shown(type)),
                         other = core::without_soa(shown(name));
  const auto named = type_named(one);
  return one != other && (!named || named != type_named(other));
}

void not_supported(const char* function, const char* instead) {
  guarded(
      [&] { core::fail(ErrorCode::not_supported, "not supported: {}, {}", function, instead); });
  __builtin_unreachable();
}

void op_init(int argc, char** argv, int diags) {
  begin(argc, argv, diags, [&] { ::op_init(argc, argv, diags); });
}
void op_init_soa(int argc, char** argv, int diags, int soa) {
  compat::op_init(argc, argv, diags);
  program().values.auto_soa = soa;
}
void op_mpi_init(int argc, char** argv, int diags, int global, int local) {
  begin(argc, argv, diags, [&] {
    program().communicators = Communicators{global, local};
    ::op_mpi_init(argc, argv, diags, local);
  });
}
void op_mpi_init_soa(int argc, char** argv, int diags, int global, int local, int soa) {
  compat::op_mpi_init(argc, argv, diags, global, local);
  program().values.auto_soa = soa;
}
void op_exit() {
  guarded([] {
    ::op_exit();
    comm::end_mpi();  // as OP2 does, even if the program has started MPI
  });
  Program& of = program();
  of.communicators.reset();
  if (of.mpi_user) of.mpi_user->end();
}
// Does nothing: the session keeps its threads and memory until op_exit, and programs call this
// before or after that.
void op_rt_exit() {}

void op_rank(int* rank) {
  guarded([&] {
    if (rank == nullptr)
      core::fail(ErrorCode::null_data, "the pointer is null: op_rank; pass the address of an int");
  });
  *rank = program().rank;
}
int op_is_root() {
  return program().rank == 0 ? 1 : 0;
}

void op_printf(const char* format, ...) {
  if (program().rank != 0) return;
  std::va_list args;
  va_start(args, format);
  std::vprintf(format, args);
  va_end(args);
  std::fflush(stdout);
}
void op_print(const char* text) {
  compat::op_printf("%s\n", text);
}

void op_timers(double* cpu, double* wall) {
  guarded([&] {
    compat::op_mpi_barrier();
    ::op_timers(cpu, wall);
  });
}
void op_timers_core(double* cpu, double* wall) {
  const std::chrono::duration<double> now = core::Clock::now().time_since_epoch();
  if (cpu != nullptr) *cpu = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  if (wall != nullptr) *wall = now.count();
}
void op_mpi_barrier() {
  in_session([](api::Runtime& runtime) {
    if (runtime.alone()) return;
    runtime.flush();  // so that ranks meet in the same call
    runtime.enter("op_mpi_barrier");
    runtime.ranks().barrier();
  });
}

void op_diagnostic_output() {
  in_session([](api::Runtime& runtime) {
    for (const auto& set : runtime.mesh.sets())
      runtime.log.info(fmt::format("set '{}' of {} elements", set->name, set->global_size));
    for (const auto& map : runtime.mesh.maps())
      runtime.log.info(fmt::format("map '{}' from '{}' to '{}' of arity {}", map->name,
                                   map->from->name, map->to->name, map->dim));
    for (const auto& dat : runtime.mesh.dats())
      runtime.log.info(fmt::format("dat '{}' on '{}': {} x{}", dat->name_storage, dat->set->name,
                                   dat->type, dat->dim));
  });
}

}  // namespace op2::compat
