// SPDX-License-Identifier: BSD-3-Clause
// The functions for programs written for OP2's headers, under OP2's names and with C linkage, in a
// separate namespace; op_lib_core.h and the other OP2 headers import the names. C++11.
//
// A failing call logs the error and ends the program at once with exit code 1; on several ranks it
// aborts the job with exit code 64 plus the first digit of the error code. A handler set by
// `op_set_error_handler` (op2/runtime.hpp) is called first. Unless stated otherwise, functions
// behave and fail like those of the same name in op2.hpp.
#pragma once

#include "op2_records.h"

namespace op2 {
namespace compat {

/// Queues a loop, or executes it at once if the source of its kernel is not known.
/// @param args  shape [count]
OP2_API void par_loop(const function& kernel, const char* name, const char* file, int line,
                      op_set set, const arg* const* args, int count);

/// Declares a constant by the address of its variable, shape [dim].
/// @param size  bytes of one value
OP2_API void decl_const(int dim, const char* type, int size, const void* values);

/// @param size  bytes of one value
OP2_API void get_data(op_dat dat, int size, char* values);
OP2_API void get_data_range(op_dat dat, int size, char* values, int low, int high);

/// Reports values whose C++ type contradicts the type string: ends the program. Local.
/// @param what        "dat", "constant", ...
/// @param name        may be null
/// @param file, line  of the call that gives the type
OP2_API void wrong_type(const char* what, const char* name, const char* type, const char* file,
                        int line);
/// Whether a type string, with or without ":soa", differs from `name`. Local.
OP2_API bool differs(const char* type, const char* name);

/// Executes pending loops; returns the local rows.
OP2_API void* data_of(op_dat dat);
OP2_API int* entries_of(op_map map);

/// For programs that use MPI (op_lib_mpi.h): `op_init` calls `begin` to initialise MPI if it is not
/// initialised, and `op_exit` calls `end` to finalise it if it is not finalised. Local.
OP2_API void use_mpi(void (*begin)(int argc, char** argv), void (*end)());
/// The communicators that `op_mpi_init` was given, as Fortran handles (MPI_Comm_c2f). Local.
/// @return false if there was no such call
OP2_API bool given_communicators(int* global, int* local);

/// Replaces the values of a dat. Collective.
/// @param values  of the elements that this rank declared, in their order, shape [elements x dim]
OP2_API void put_data(op_dat dat, const void* values, unsigned long elements);
inline void op_mpi_put_data(op_dat dat, const void* values, unsigned long elements) {
  put_data(dat, values, elements);
}

/// Local. Ends the program if an entry is not an element of `to`, like the declaration of a map.
OP2_API void check_map(const char* name, op_set from, op_set to, int dim, int* values);

/// Executes pending loops, then calls `kernel` once for each element of `values`, in order, with a
/// pointer to its values and one pointer for each of `args`: for a dat, to the local row that
/// `numbers` gives in column `idx` (0 if negative); for a global, to the memory of the program,
/// which is not reduced over ranks. Collective.
/// @param numbers  local indices of type "int", shape [elements of `values` x dim]
/// @param args     shape [count], without maps
OP2_API void par_scatter(const function& kernel, const char* name, const buffer* values,
                         const buffer* numbers, const arg* const* args, int count);

extern "C" {
// Initialisation and finalisation. Communicators are Fortran handles (MPI_Comm_c2f). `op_init`
// accepts OP2's arguments (OP_MAPS_BASE_INDEX=1, OP_BLOCK_SIZE=64, ...); only the first has an
// effect in this library. `op_rank`, `op_is_root`, `op_printf` and `op_print` work before
// `op_init`.
OP2_API void op_init(int argc, char** argv, int diags);
OP2_API void op_init_soa(int argc, char** argv, int diags, int soa);
OP2_API void op_mpi_init(int argc, char** argv, int diags, int global, int local);
OP2_API void op_mpi_init_soa(int argc, char** argv, int diags, int global, int local, int soa);
/// Also finalises MPI if it is running, even if the program has initialised it.
OP2_API void op_exit();
OP2_API void op_rank(int* rank);
OP2_API int op_is_root();
OP2_API void op_printf(const char* format, ...);
OP2_API void op_print(const char* text);
/// Executes pending loops and waits for all ranks.
OP2_API void op_timers(double* cpu, double* wall);
/// Local: only reads the clocks.
OP2_API void op_timers_core(double* cpu, double* wall);
/// Prints the per-loop table, and the rows of `OP_kernels` that the program has filled.
OP2_API void op_timing_output();
OP2_API void op_timing_output_2_file(const char* path);
OP2_API void op_timings_to_csv(const char* path);
/// Local. Allocates row `kernel` of `OP_kernels`, and the row's `times`.
OP2_API void op_timing_realloc(int kernel);
OP2_API void op_timing_realloc_manytime(int kernel, int times);
OP2_API void op_diagnostic_output();

// Declarations. Values of maps are global indices.
OP2_API op_set op_decl_set(int size, const char* name);
OP2_API op_map op_decl_map(op_set from, op_set to, int dim, int* values, const char* name);
OP2_API op_map op_decl_map_long(op_set from, op_set to, int dim, wide_index* values,
                                const char* name);
OP2_API op_dat op_decl_dat_char(op_set set, int dim, const char* type, int size, char* data,
                                const char* name);
OP2_API op_dat op_decl_dat_temp_char(op_set set, int dim, const char* type, int size,
                                     const char* name);
OP2_API int op_free_dat_temp_char(op_dat dat);
OP2_API void op_decl_const_char(int dim, const char* type, int size, char* values,
                                const char* name);
/// Not supported (error): a dat always has separate memory; use `op_decl_dat`.
OP2_API op_dat op_decl_dat_overlay(op_set set, op_dat dat);
OP2_API op_dat op_decl_dat_overlay_ptr(op_set set, char* data);
/// With an unknown library every rank keeps what it declared.
OP2_API void op_partition(const char* library, const char* routine, op_set set, op_map map,
                          op_dat coordinates);
/// No effect, local: results are in the declared order, for any partition.
OP2_API void op_partition_destroy();
OP2_API void op_partition_reverse();
OP2_API int op_is_partitioned();
/// No effect: the library renumbers elements itself (OP2_RENUMBER).
OP2_API void op_renumber(op_map base);
/// Distributes the mesh now instead of at the first loop, so that set sizes and map entries are
/// those of the local mesh.
OP2_API void op_halo_create();
OP2_API void op_halo_permap_create();
OP2_API void op_halo_destroy();

// Arguments.
OP2_API arg op_arg_dat(op_dat dat, int idx, op_map map, int dim, const char* type, int acc);
OP2_API arg op_opt_arg_dat(int opt, op_dat dat, int idx, op_map map, int dim, const char* type,
                           int acc);
OP2_API arg op_arg_gbl_char(char* data, int dim, const char* type, int size, int acc);
OP2_API arg op_opt_arg_gbl_char(int opt, char* data, int dim, const char* type, int size, int acc);
OP2_API arg op_arg_info_char(char* data, int dim, const char* type, int size, int reference);
OP2_API arg op_arg_idx(int idx, op_map map);

// Results.
OP2_API void op_fetch_data_char(op_dat dat, char* values);
/// @param low, high  global indices, inclusive; all ranks get all of them
OP2_API void op_fetch_data_idx_char(op_dat dat, char* values, int low, int high);
/// A copy of a dat in the declared order: its set has the size of the block that this rank
/// declared. The program owns it and may `free` its data, its set and the copy; other functions do
/// not accept it.
OP2_API op_dat op_mpi_get_data(op_dat dat);
OP2_API op_dat op_fetch_data_file_char(op_dat dat);
OP2_API void op_mpi_put_data(op_dat dat);
/// Prints all values in their original order.
OP2_API void op_dump_dat(op_dat dat);
OP2_API void op_print_dat_to_txtfile(op_dat dat, const char* path);
OP2_API void op_print_dat_to_binfile(op_dat dat, const char* path);
OP2_API wide_index op_get_size(op_set set);
OP2_API int op_size_of_set(const char* name);
// Local: current number of rows of this rank. "exec" includes the execute halo, "full" all halos.
OP2_API int op_get_size_local(op_set set);
OP2_API int op_get_size_local_core(op_set set);
OP2_API int op_get_size_local_exec(op_set set);
OP2_API int op_get_size_local_full(op_set set);
/// Number of elements that lower ranks own.
OP2_API wide_index op_get_global_set_offset(op_set set);
/// Local. The dat with these properties, or null.
OP2_API op_dat search_dat(op_set set, int dim, const char* type, int size, const char* name);
/// Local. 1 if both are the same set.
OP2_API int compare_sets(op_set one, op_set other);
/// To be called when the program has written rows through `dat->data` while no loop was queued: the
/// halos of the dat, or of all dats, are updated before they are read. Collective.
OP2_API void op_upload_all();
OP2_API void op_upload_dat(op_dat dat);
/// Executes pending loops, so that `dat->data` is current.
OP2_API void op_download_dat(op_dat dat);
OP2_API void deviceSync();

// Memory aligned to 64 bytes, which `free` can free too.
OP2_API void* op_malloc(unsigned long size);
OP2_API void* op_calloc(unsigned long count, unsigned long size);
OP2_API void* op_realloc(void* memory, unsigned long size);
OP2_API void op_free(void* memory);

// Buffers for `op_par_scatter`, initially zero. Local. The program frees them.
OP2_API buffer* op_create_buff(const char* name, const char* type, int size, int dim);
OP2_API void op_free_buff(buffer* made);
/// No effect: there is no device.
OP2_API void op_buff_upload(buffer* made);
OP2_API void op_buff_download(buffer* made);

// Files for ParaView, an extension of OP2: see op2/io.hpp. `fields` has shape [count].
OP2_API void op_write_vtu(const char* path, op_map cells_to_nodes, op_dat coordinates,
                          const op_dat* fields, int count);
OP2_API void op_write_pvtu(const char* path, op_map cells_to_nodes, op_dat coordinates,
                           const op_dat* fields, int count);

// HDF5: see op2/hdf5.hpp.
OP2_API op_set op_decl_set_hdf5(const char* file, const char* name);
OP2_API op_set op_decl_set_hdf5_infer_size(const char* file, const char* name, const char* dataset);
OP2_API op_map op_decl_map_hdf5(op_set from, op_set to, int dim, const char* file,
                                const char* name);
OP2_API op_dat op_decl_dat_hdf5(op_set set, int dim, const char* type, const char* file,
                                const char* name);
OP2_API void op_get_const_hdf5(const char* name, int dim, const char* type, char* data,
                               const char* file);
OP2_API void op_write_const_hdf5(const char* name, int dim, const char* type, char* data,
                                 const char* file);
OP2_API void op_dump_to_hdf5(const char* file);
OP2_API void op_write_hdf5(const char* file);  ///< older name of op_dump_to_hdf5
OP2_API void op_fetch_data_hdf5_file(op_dat dat, const char* file);
OP2_API void op_fetch_data_hdf5_file_path(op_dat dat, const char* file, const char* path);
}

// Addresses of the local rows, after executing pending loops. OP2 returns integers here, which
// programs cast to pointers.
inline address op_get_data_ptr(op_dat dat) {
  return address(data_of(dat));
}
inline address op_get_map_ptr(op_map map) {
  return address(entries_of(map));
}

}  // namespace compat
}  // namespace op2
