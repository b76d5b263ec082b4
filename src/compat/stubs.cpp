// SPDX-License-Identifier: BSD-3-Clause
// Loops that a program runs itself. The library needs to know only what they read and write, which
// a loop with the same arguments and an empty kernel tells it.
#include <vector>

#include <op2/compat/op2_functions.h>
#include <op2/compat/op2_stubs.h>
#include <op2/op2.hpp>

#include <api/session.hpp>
#include <comm/messages/reduce_values.hpp>
#include <compat/errors.hpp>
#include <compat/program.hpp>
#include <core/error.hpp>
#include <core/validate.hpp>
#include <sched/reductions.hpp>

namespace op2::compat {
namespace {

void nothing() {}
void call_nothing(void (*)(), char* const*) {}

bool is_active_dat(const arg& given) {
  return given.argtype == OP_ARG_DAT && given.opt != 0 && given.dat != nullptr;
}
bool is_modified(const arg& given) {
  return is_active_dat(given) && given.acc != OP_READ;
}

void check_args(const char* function, int count, const arg* args) {
  if (count > 0 && args == nullptr)
    core::fail(ErrorCode::null_data,
               "the arguments are null: {}, {} of them; pass the address of an array", function,
               count);
}

/// The arguments that matter to halo exchanges.
std::vector<const arg*> dats_of(int count, const arg* args) {
  std::vector<const arg*> dats;
  for (int k = 0; k < count; ++k)
    if (is_active_dat(args[k])) dats.push_back(&args[k]);
  return dats;
}

/// Sets the pointers to rows and entries that a stub uses.
void refresh(arg& given) {
  if (!is_active_dat(given)) return;
  core::Array& rows = core::record_of(given.dat)->rows;
  if (is_modified(given))
    static_cast<void>(rows.host_write());
  else
    rows.host_read();
  given.data = given.dat->data;
  given.map_data = given.map == nullptr ? nullptr : given.map->map;
}

/// Number of elements that the stub iterates over.
int range_of(op_set set, const std::vector<const arg*>& dats) {
  for (const arg* each : dats)
    if (each->map != nullptr && is_modified(*each)) return set->size + set->exec_size;
  return set->size;
}

bool is_zero(std::span<const std::byte> value) {
  return std::ranges::all_of(value, [](std::byte b) { return b == std::byte{0}; });
}

/// The value of the highest rank whose value is not all zeros. Collective.
void take_last(comm::Communicator& ranks, std::span<std::byte> value) {
  const auto last = static_cast<int>(
      ranks.maximum(is_zero(value) ? -1 : ranks.rank(), "finding the last rank with a value"));
  if (last < 0) return;
  const comm::Bytes result = ranks.broadcast({value.begin(), value.end()}, last);
  std::ranges::copy(result, value.begin());
}

void reduce_one(const arg* global, std::size_t bytes, void* data) {
  guarded([&] { check_args("op_mpi_reduce", 1, global); });
  reduce(*global, static_cast<int>(bytes), data);
}

constexpr const char* no_plans =
    "the library plans the element order and the threads of a loop internally; use op_par_loop";

}  // namespace

void reduce(const arg& global, int bytes, void* data) {
  guarded([&] {
    if (global.argtype != OP_ARG_GBL || global.opt == 0 || global.acc == OP_READ) return;
    const Type type = type_of("op_mpi_reduce: the global", global.type);
    core::check_dim("op_mpi_reduce", "the global", global.dim);
    const std::size_t size = core::size_of(type, global.dim);
    if (data == nullptr || bytes != static_cast<int>(core::size_of(type)))
      core::fail(ErrorCode::bad_type,
                 "the values are null or of another type: op_mpi_reduce, type \"{}\", values of {} "
                 "bytes; pass values of that type",
                 global.type, bytes);
    api::Runtime& runtime = api::usable();
    runtime.flush();
    runtime.enter("op_mpi_reduce of {} x {}", global.dim, core::name_of(type));
    runtime.collectively([&] {
      const auto access = static_cast<op_access>(global.acc);
      if (access == OP_WRITE)
        return take_last(runtime.ranks(), {static_cast<std::byte*>(data), size});
      const comm::FoldedValues values[] = {{type, sched::fold_of(access), global.dim, data}};
      comm::reduce_values(runtime.ranks(), values);
    });
  });
}

void op_mpi_reduce_float(arg* global, float* data) {
  reduce_one(global, sizeof *data, data);
}
void op_mpi_reduce_double(arg* global, double* data) {
  reduce_one(global, sizeof *data, data);
}
void op_mpi_reduce_int(arg* global, int* data) {
  reduce_one(global, sizeof *data, data);
}
void op_mpi_reduce_bool(arg* global, bool* data) {
  reduce_one(global, sizeof *data, data);
}
void op_mpi_reduce_combined(arg* args, int count) {
  guarded([&] { check_args("op_mpi_reduce_combined", count, args); });
  for (int k = 0; k < count; ++k)
    if (args[k].argtype == OP_ARG_GBL && args[k].opt != 0 && args[k].acc != OP_READ)
      reduce(args[k], args[k].size / std::max(args[k].dim, 1), args[k].data);
}
void op_disable_mpi_reductions(bool off) {
  if (off && guarded([] { return !api::running("op_disable_mpi_reductions").alone(); }))
    not_supported("op_disable_mpi_reductions",
                  "loops always combine their globals over the ranks; remove the program's own "
                  "reduction, or write the loop as a host stub");
  program().values.disable_mpi_reductions = off;
}

int op_mpi_halo_exchanges(op_set set, int count, arg* args) {
  return in_session([&](api::Runtime& runtime) {
    core::check_handle(runtime.mesh, "op_mpi_halo_exchanges: the set", set);
    check_args("op_mpi_halo_exchanges", count, args);
    const std::vector<const arg*> dats = dats_of(count, args);
    const function kernel = {&nothing, &call_nothing, static_cast<int>(dats.size())};
    if (!core::record_of(set)->is_single_rank)
      par_loop(kernel, "op_mpi_halo_exchanges", "host stub", 0, set, dats.data(),
               static_cast<int>(dats.size()));
    runtime.flush();
    runtime.settle();
    for (int k = 0; k < count; ++k) refresh(args[k]);
    return range_of(set, dats);
  });
}
int op_mpi_halo_exchanges_cuda(op_set set, int count, arg* args) {
  return op_mpi_halo_exchanges(set, count, args);
}
int op_mpi_halo_exchanges_grouped(op_set set, int count, arg* args, int) {
  return op_mpi_halo_exchanges(set, count, args);
}
void op_trigger_halo_exchanges(int, const char*, op_set set, int count, arg* args) {
  op_mpi_halo_exchanges(set, count, args);
}
void op_mpi_wait_all(int, arg*) {}
void op_mpi_wait_all_cuda(int, arg*) {}
void op_mpi_wait_all_grouped(int, arg*, int) {}
void op_mpi_test_all(int, arg*) {}
void op_mpi_test_all_grouped(int, arg*, int) {}
void op_mpi_reset_halos(int, arg*) {}
void op_mpi_set_dirtybit(int count, arg* args) {
  in_session([&](api::Runtime& runtime) {
    check_args("op_mpi_set_dirtybit", count, args);
    runtime.flush();
    for (int k = 0; k < count; ++k) {
      if (!is_modified(args[k])) continue;
      core::check_handle(runtime.mesh, "op_mpi_set_dirtybit: the dat", args[k].dat);
      runtime.engine.forget_halo(*core::record_of(args[k].dat));
    }
  });
}
void op_mpi_set_dirtybit_cuda(int count, arg* args) {
  op_mpi_set_dirtybit(count, args);
}

int getSetSizeFromOpArg(arg* dat) {
  if (dat == nullptr || !is_active_dat(*dat)) return 0;
  return op_get_size_local_full(dat->dat->set);
}
void op_arg_check(op_set, int, arg, int*, const char*) {}

bool op_type_equivalence(const char* one, const char* other) {
  return guarded([&] {
    return type_of("op_type_equivalence, first type", one) ==
           type_of("op_type_equivalence, second type", other);
  });
}

void op_disable_device_execution(bool) {}
bool op_check_whitelist(const char*) {
  return false;
}
void op_check_fallback_mode(const char*) {}

plan* op_plan_get(const char*, op_set, int, int, arg*, int, int*) {
  not_supported("op_plan_get", no_plans);
}
plan* op_plan_get_stage(const char*, op_set, int, int, arg*, int, int*, int) {
  not_supported("op_plan_get_stage", no_plans);
}
plan* op_plan_get_stage_upload(const char*, op_set, int, int, arg*, int, int*, int, int) {
  not_supported("op_plan_get_stage_upload", no_plans);
}

void op_compute_moment(double value, double* first, double* second) {
  compat::op_compute_moment_across_times(&value, 1, false, first, second);
}
void op_compute_moment_across_times(double* times, int count, bool ignore_zeros, double* first,
                                    double* second) {
  struct Sums {
    double count, values, squares;
  };
  guarded([&] {
    if (first == nullptr || second == nullptr || (times == nullptr && count > 0))
      core::fail(ErrorCode::null_data,
                 "the times or the results are null: op_compute_moment_across_times, {} times; "
                 "pass their addresses",
                 count);
    Sums sums{0, 0, 0};
    for (const double time : std::span(times, static_cast<std::size_t>(std::max(count, 0)))) {
      if (ignore_zeros && time == 0) continue;
      sums = {sums.count + 1, sums.values + time, sums.squares + time * time};
    }
    api::Runtime& runtime = api::usable("op_compute_moment_across_times");
    runtime.flush();
    runtime.enter("op_compute_moment");
    const comm::FoldedValues all[] = {{Type::f64, comm::Fold::sum, 3, &sums}};
    comm::reduce_values(runtime.ranks(), all);
    *first = sums.count > 0 ? sums.values / sums.count : 0;
    *second = sums.count > 0 ? sums.squares / sums.count : 0;
  });
}

}  // namespace op2::compat
