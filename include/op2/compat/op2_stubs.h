// SPDX-License-Identifier: BSD-3-Clause
// What translated programs and loops written by hand (host stubs) ask of OP2, under OP2's names, in
// a namespace of its own. C++11.
//
// A host stub is a loop of the program over `dat->data` in place of `op_par_loop`:
//
//     int n = op_mpi_halo_exchanges(set, nargs, args);  // executes what is queued
//     op_mpi_wait_all(nargs, args);
//     for (int e = 0; e < n; ++e) ...                   // rows of args[k].data, args[k].map_data
//     op_mpi_reduce_combined(args, nargs);
//     op_mpi_set_dirtybit(nargs, args);
//
// All functions are collective unless marked local. The forms for devices do the same: data are in
// the memory of the host. Where something cannot be given a meaning, the call is an error that says
// what to use instead.
#pragma once

#include "op2_records.h"

namespace op2 {
namespace compat {
extern "C" {

/// Executes what is queued and brings the halo rows up to date that a loop with these arguments
/// reads. Sets `data` and `map_data` of the arguments: rows may have moved.
/// @return the elements of `set` that the stub has to go through: those that this rank owns, and
/// the executed halo if an argument is modified through a map (increments of owned rows are
/// complete then)
OP2_API int op_mpi_halo_exchanges(op_set set, int count, arg* args);
OP2_API int op_mpi_halo_exchanges_cuda(op_set set, int count, arg* args);
OP2_API int op_mpi_halo_exchanges_grouped(op_set set, int count, arg* args, int device);

/// The same outside of any loop.
/// @param name  of the loop that would ask for it
OP2_API void op_trigger_halo_exchanges(int device, const char* name, op_set set, int count,
                                       arg* args);

/// Local, and nothing: the exchange has returned when it was complete.
OP2_API void op_mpi_wait_all(int count, arg* args);
OP2_API void op_mpi_wait_all_cuda(int count, arg* args);
OP2_API void op_mpi_wait_all_grouped(int count, arg* args, int device);
OP2_API void op_mpi_test_all(int count, arg* args);
OP2_API void op_mpi_test_all_grouped(int count, arg* args, int device);
OP2_API void op_mpi_reset_halos(int count, arg* args);

/// To be called when the rows of modified arguments were changed: their halos are out of date. All
/// ranks call it, or none.
OP2_API void op_mpi_set_dirtybit(int count, arg* args);
OP2_API void op_mpi_set_dirtybit_cuda(int count, arg* args);

/// Combines a global of the program over the ranks, in their order, as its access mode says. One
/// that is OP_WRITE has the value of the last rank with one other than zero. Each rank's value
/// takes part: increments have to begin at zero on all ranks but one.
/// @param data  shape [dim], which is combined; the argument's own data are not touched
OP2_API void op_mpi_reduce_float(arg* global, float* data);
OP2_API void op_mpi_reduce_double(arg* global, double* data);
OP2_API void op_mpi_reduce_int(arg* global, int* data);
OP2_API void op_mpi_reduce_bool(arg* global, bool* data);
/// The same for all globals among the arguments.
OP2_API void op_mpi_reduce_combined(arg* args, int count);
/// @throws not_supported if `off` is set on several ranks: loops always combine their globals
OP2_API void op_disable_mpi_reductions(bool off);

OP2_API void op_mpi_barrier();
/// Local. Adds a section to the profile (op_profile.h).
OP2_API void op_mpi_perf_time(const char* name, double seconds);

/// Local rows of a dat argument's set, halos included; 0 if the argument is off.
OP2_API int getSetSizeFromOpArg(arg* dat);
/// Local. What a loop checks is checked when it is called.
OP2_API void op_arg_check(op_set set, int number, arg argument, int* indirect, const char* name);
/// Local. Whether two type strings name the same type.
OP2_API bool op_type_equivalence(const char* one, const char* other);

/// Errors: plans for threads and blocks are the library's own business; use `op_par_loop`.
OP2_API plan* op_plan_get(const char* name, op_set set, int part_size, int count, arg* args,
                          int indirect_count, int* indirect);
OP2_API plan* op_plan_get_stage(const char* name, op_set set, int part_size, int count, arg* args,
                                int indirect_count, int* indirect, int staging);
OP2_API plan* op_plan_get_stage_upload(const char* name, op_set set, int part_size, int count,
                                       arg* args, int indirect_count, int* indirect, int staging,
                                       int upload);
OP2_API void op_rt_exit();

/// Local. There is no device: kernels run where the program runs, whatever is said here.
OP2_API void op_disable_device_execution(bool off);
OP2_API bool op_check_whitelist(const char* name);
OP2_API void op_check_fallback_mode(const char* name);

/// Mean of a value over the ranks, and mean of its square; on all ranks.
OP2_API void op_compute_moment(double value, double* first, double* second);
/// Means over ranks and times.
/// @param times  shape [count]
/// @param ignore_zeros  times of zero do not count
OP2_API void op_compute_moment_across_times(double* times, int count, bool ignore_zeros,
                                            double* first, double* second);
}

/// The same with the arguments themselves.
template <class... Rest>
void op_trigger_halo_exchanges(int device, const char* name, op_set set, arg first, Rest... rest) {
  arg args[] = {first, rest...};
  op_trigger_halo_exchanges(device, name, set, 1 + static_cast<int>(sizeof...(rest)), args);
}

/// Combines a global of any type that loops can have.
/// @param bytes  of one value
OP2_API void reduce(const arg& global, int bytes, void* data);

template <class T>
void op_mpi_reduce(arg* global, T* data) {
  reduce(*global, static_cast<int>(sizeof(T)), data);
}

}  // namespace compat
}  // namespace op2
