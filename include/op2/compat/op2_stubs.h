// SPDX-License-Identifier: BSD-3-Clause
// Functions of OP2 for translated programs and hand-written loops (host stubs), under OP2's names,
// in a separate namespace. C++11.
//
// A host stub is a loop of the program over `dat->data` in place of `op_par_loop`:
//
//     int n = op_mpi_halo_exchanges(set, nargs, args);  // executes pending loops
//     op_mpi_wait_all(nargs, args);
//     for (int e = 0; e < n; ++e) ...                   // rows of args[k].data, args[k].map_data
//     op_mpi_reduce_combined(args, nargs);
//     op_mpi_set_dirtybit(nargs, args);
//
// All functions are collective unless marked local. The device variants do the same: data are in
// host memory. What the library cannot support is an error that names an alternative.
#pragma once

#include "op2_records.h"

namespace op2 {
namespace compat {
extern "C" {

/// Executes pending loops and updates the halo rows that a loop with these arguments reads. Sets
/// `data` and `map_data` of the arguments, because rows may have moved.
/// @return number of elements of `set` that the stub must execute: the owned ones, and the execute
/// halo if an argument is modified through a map (which completes increments of owned rows)
OP2_API int op_mpi_halo_exchanges(op_set set, int count, arg* args);
OP2_API int op_mpi_halo_exchanges_cuda(op_set set, int count, arg* args);
OP2_API int op_mpi_halo_exchanges_grouped(op_set set, int count, arg* args, int device);

/// The same outside of a loop.
/// @param name  of the loop on whose behalf it is called
OP2_API void op_trigger_halo_exchanges(int device, const char* name, op_set set, int count,
                                       arg* args);

/// Local. No effect: `op_mpi_halo_exchanges` returns when the exchange is complete.
OP2_API void op_mpi_wait_all(int count, arg* args);
OP2_API void op_mpi_wait_all_cuda(int count, arg* args);
OP2_API void op_mpi_wait_all_grouped(int count, arg* args, int device);
OP2_API void op_mpi_test_all(int count, arg* args);
OP2_API void op_mpi_test_all_grouped(int count, arg* args, int device);
OP2_API void op_mpi_reset_halos(int count, arg* args);

/// To be called after the stub: marks the halos of modified arguments as outdated. Collective.
OP2_API void op_mpi_set_dirtybit(int count, arg* args);
OP2_API void op_mpi_set_dirtybit_cuda(int count, arg* args);

/// Reduces a global of the program over the ranks, in rank order, according to its access mode.
/// With OP_WRITE the result is the non-zero value of the highest rank. The value of every rank is
/// included: increments must start from zero on all ranks but one.
/// @param data  shape [dim], is reduced in place; the argument's `data` are not used
OP2_API void op_mpi_reduce_float(arg* global, float* data);
OP2_API void op_mpi_reduce_double(arg* global, double* data);
OP2_API void op_mpi_reduce_int(arg* global, int* data);
OP2_API void op_mpi_reduce_bool(arg* global, bool* data);
/// The same for the `data` of all globals among the arguments.
OP2_API void op_mpi_reduce_combined(arg* args, int count);
/// Error not_supported if `off` is true on several ranks: loops always reduce their globals.
OP2_API void op_disable_mpi_reductions(bool off);

/// Executes pending loops and waits for all ranks.
OP2_API void op_mpi_barrier();
/// Local. Adds a section to the profile (op_profile.h).
OP2_API void op_mpi_perf_time(const char* name, double seconds);

/// Number of local rows of a dat argument's set, halos included; 0 if the argument is off.
OP2_API int getSetSizeFromOpArg(arg* dat);
/// Local. No effect: `op_par_loop` checks its arguments when it is called.
OP2_API void op_arg_check(op_set set, int number, arg argument, int* indirect, const char* name);
/// Local. Whether two type strings name the same type.
OP2_API bool op_type_equivalence(const char* one, const char* other);

/// Not supported (error): the library plans threads and blocks internally; use `op_par_loop`.
OP2_API plan* op_plan_get(const char* name, op_set set, int part_size, int count, arg* args,
                          int indirect_count, int* indirect);
OP2_API plan* op_plan_get_stage(const char* name, op_set set, int part_size, int count, arg* args,
                                int indirect_count, int* indirect, int staging);
OP2_API plan* op_plan_get_stage_upload(const char* name, op_set set, int part_size, int count,
                                       arg* args, int indirect_count, int* indirect, int staging,
                                       int upload);
OP2_API void op_rt_exit();

/// Local. No effect: there is no device.
OP2_API void op_disable_device_execution(bool off);
OP2_API bool op_check_whitelist(const char* name);
OP2_API void op_check_fallback_mode(const char* name);

/// Mean of a value over the ranks, and mean of its square; on all ranks.
OP2_API void op_compute_moment(double value, double* first, double* second);
/// Mean, and mean of the square, over all ranks and times; on all ranks.
/// @param times  shape [count]
/// @param ignore_zeros  skip times that are zero
OP2_API void op_compute_moment_across_times(double* times, int count, bool ignore_zeros,
                                            double* first, double* second);
}

/// op_trigger_halo_exchanges with the arguments as a parameter pack.
template <class... Rest>
void op_trigger_halo_exchanges(int device, const char* name, op_set set, arg first, Rest... rest) {
  arg args[] = {first, rest...};
  op_trigger_halo_exchanges(device, name, set, 1 + static_cast<int>(sizeof...(rest)), args);
}

/// Reduces a global of any value type.
/// @param bytes  size of one value
OP2_API void reduce(const arg& global, int bytes, void* data);

/// Reduces a global of the program of type T over the ranks, like `op_mpi_reduce_double`.
/// @param data  shape [dim], is reduced in place
template <class T>
void op_mpi_reduce(arg* global, T* data) {
  reduce(*global, static_cast<int>(sizeof(T)), data);
}

}  // namespace compat
}  // namespace op2
