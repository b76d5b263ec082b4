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

/// What `op_fetch_data` and `op_fetch_data_idx` call.
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

// Initialisation and finalisation.

/// Initialises the library on all ranks. Collective. Accepts OP2's arguments (OP_MAPS_BASE_INDEX=1,
/// OP_BLOCK_SIZE=64, ...), of which only OP_MAPS_BASE_INDEX has an effect in this library; nor has
/// `soa`: the library chooses the layout of data.
/// @param diags  log level if OP2_LOG is not set: 0 errors, 1 warnings, 2 information, 3 all
OP2_API void op_init(int argc, char** argv, int diags);
OP2_API void op_init_soa(int argc, char** argv, int diags, int soa);

/// The same on the ranks of a communicator of the program, which has initialised MPI. Collective.
/// @param global  of the whole job: kept for OP_MPI_GLOBAL
/// @param local   of the ranks that share the mesh; both are Fortran handles (MPI_Comm_c2f)
OP2_API void op_mpi_init(int argc, char** argv, int diags, int global, int local);
OP2_API void op_mpi_init_soa(int argc, char** argv, int diags, int global, int local, int soa);

/// Executes pending loops and ends the session: handles are invalid. Collective. Also finalises MPI
/// if it is running, even if the program has initialised it.
OP2_API void op_exit();

/// This rank, from 0. Local; works before `op_init`, with the value 0. Error null_data if `rank` is
/// null.
OP2_API void op_rank(int* rank);
/// 1 on rank 0, otherwise 0. Local; works before `op_init`.
OP2_API int op_is_root();

/// Prints on rank 0: like printf, or a text and the end of the line. Local; works before `op_init`
/// and does not execute pending loops.
OP2_API void op_printf(const char* format, ...);
OP2_API void op_print(const char* text);

// Times.

/// Executes pending loops, waits for all ranks, and reads the clocks: seconds of the processor and
/// of the wall. Collective.
OP2_API void op_timers(double* cpu, double* wall);
/// Local: only reads the clocks. Each of the pointers may be null.
OP2_API void op_timers_core(double* cpu, double* wall);

/// Executes pending loops and prints the per-loop table, and the rows of `OP_kernels` that the
/// program has filled. Collective.
OP2_API void op_timing_output();
/// Writes the same to a file, on rank 0. Collective. Errors: bad_name (an empty path), io_failure.
OP2_API void op_timing_output_2_file(const char* path);
/// Executes pending loops and writes the per-loop table as comma-separated values, on rank 0.
/// Collective. Errors: bad_name (an empty path), io_failure.
OP2_API void op_timings_to_csv(const char* path);

/// Allocates row `kernel` of `OP_kernels`, and `times` values of the row's field `times`. Local.
OP2_API void op_timing_realloc(int kernel);
OP2_API void op_timing_realloc_manytime(int kernel, int times);

/// Logs the declared sets, maps and dats, at the level `info`. Local.
OP2_API void op_diagnostic_output();

// Declarations. All are collective, and arrays are copied.

/// A set of `size` elements on this rank: one block of the global set. Errors: bad_size, bad_name,
/// too_large.
OP2_API op_set op_decl_set(int size, const char* name);

/// A map from each element of `from` to `dim` elements of `to`. Errors: bad_dim, bad_name,
/// null_data, map_out_of_range, too_large (an entry that is not an int).
/// @param values  global indices, from 0 or from OP_MAPS_BASE_INDEX, shape [from->size x dim]
OP2_API op_map op_decl_map(op_set from, op_set to, int dim, int* values, const char* name);
OP2_API op_map op_decl_map_long(op_set from, op_set to, int dim, wide_index* values,
                                const char* name);

/// Data on `set`. Rows of a type that the library does not know are opaque: loops with them run as
/// host functions. Errors: bad_dim, bad_type (no type string), bad_name, bad_size, out_of_memory.
/// @param size  bytes of one value
/// @param data  shape [set->size x dim], or null for zeros
OP2_API op_dat op_decl_dat_char(op_set set, int dim, const char* type, int size, char* data,
                                const char* name);
/// Temporary data on `set`, initially zero. Errors as above.
/// @param size  bytes of one value
OP2_API op_dat op_decl_dat_temp_char(op_set set, int dim, const char* type, int size,
                                     const char* name);
/// Frees a temporary dat; pending loops with it are still executed. Local.
/// @return 1, or -1 if it is not a temporary dat
OP2_API int op_free_dat_temp_char(op_dat dat);

/// Declares a constant by the address of its variable: loops use the value at their call. Local.
/// Errors: bad_type (`size` is not that of the type), bad_constant (null, or no value).
/// @param size    bytes of one value
/// @param values  shape [dim]
/// @param name    not used: a constant is known by its address
OP2_API void op_decl_const_char(int dim, const char* type, int size, char* values,
                                const char* name);

/// Not supported (error): a dat always has separate memory; use `op_decl_dat`.
OP2_API op_dat op_decl_dat_overlay(op_set set, op_dat dat);
OP2_API op_dat op_decl_dat_overlay_ptr(op_set set, char* data);

// Partitions and halos.

/// Partitions the mesh, with the names of op2/runtime.hpp in capitals. With an unknown library
/// every rank keeps what it declared. Collective. Errors: bad_handle, bad_dim, bad_type, bad_range.
OP2_API void op_partition(const char* library, const char* routine, op_set set, op_map map,
                          op_dat coordinates);
/// No effect, local: results are in the declared order, for any partition.
OP2_API void op_partition_destroy();
OP2_API void op_partition_reverse();
/// 1 after `op_partition`, or once the first loop has distributed the mesh, otherwise 0. Local.
OP2_API int op_is_partitioned();

/// Allows the library to renumber elements (OP2_RENUMBER), which it otherwise does not do on one
/// rank for programs that rely on the declared order of `dat->data`. Local. `base` is not used.
OP2_API void op_renumber(op_map base);

/// Distributes the mesh now instead of at the first loop, so that set sizes and map entries are
/// those of the local mesh. Collective.
OP2_API void op_halo_create();
OP2_API void op_halo_permap_create();
/// No effect, local: halos exist until `op_exit`.
OP2_API void op_halo_destroy();

// Arguments of loops, which check them at their call. Local.

/// Accesses a dat directly (`idx` -1, `map` OP_ID) or through column `idx` of a map; `idx` -n,
/// n > 1, gives the kernel n pointers, to the rows of columns 0 .. n - 1. `dim` and `type` repeat
/// the declaration. With `opt` 0 the argument is off: the kernel gets a null pointer, and `dat` and
/// `map` may be null.
OP2_API arg op_arg_dat(op_dat dat, int idx, op_map map, int dim, const char* type, int acc);
OP2_API arg op_opt_arg_dat(int opt, op_dat dat, int idx, op_map map, int dim, const char* type,
                           int acc);

/// A global: memory of the program, shape [dim], which loops read, or reduce over elements and
/// ranks. With `opt` 0 the argument is off, and `data` may be null.
/// @param size  bytes of one value
OP2_API arg op_arg_gbl_char(char* data, int dim, const char* type, int size, int acc);
OP2_API arg op_opt_arg_gbl_char(int opt, char* data, int dim, const char* type, int size, int acc);

/// The payload of a minimum or maximum, such as the index of its element: the values that the
/// kernel has written for the extreme value of argument `reference`.
/// @param data       shape [dim]
/// @param size       bytes of one value
/// @param reference  index of an argument with OP_MIN or OP_MAX, from 0
OP2_API arg op_arg_info_char(char* data, int dim, const char* type, int size, int reference);

/// The global index of the element (`idx` -1, `map` OP_ID), or of the target in column `idx` of
/// `map`, for the kernel's parameter `const int*`.
OP2_API arg op_arg_idx(int idx, op_map map);

// Results. Collective; pending loops are executed before.

/// The values of the elements that this rank declared, in their order. Errors: bad_handle.
/// @param values  shape [declared elements x dim]
OP2_API void op_fetch_data_char(op_dat dat, char* values);
/// The values of some elements on all ranks. Errors: bad_handle, bad_range.
/// @param low, high  global indices, inclusive; all ranks get all of them
/// @param values     shape [(high - low + 1) x dim]
OP2_API void op_fetch_data_idx_char(op_dat dat, char* values, int low, int high);

/// A copy of a dat in the declared order: its set has the size of the block that this rank
/// declared. The program owns it and may `free` its data, its set and the copy; other functions do
/// not accept it. Errors: bad_handle.
OP2_API op_dat op_mpi_get_data(op_dat dat);
OP2_API op_dat op_fetch_data_file_char(op_dat dat);
/// No effect, local: there is no other copy of the rows. After writing them call `op_upload_dat`.
OP2_API void op_mpi_put_data(op_dat dat);

/// Prints all values in their original order, on rank 0. Errors: bad_handle, not_supported (a type
/// that the library does not know).
OP2_API void op_dump_dat(op_dat dat);
/// Writes all values in their original order to a file: a line "size dim" and one for each element,
/// or size and dim as int and the values. Errors: bad_handle, bad_name (an empty path), io_failure.
OP2_API void op_print_dat_to_txtfile(op_dat dat, const char* path);
OP2_API void op_print_dat_to_binfile(op_dat dat, const char* path);

/// Size of a set over all ranks. Local. Errors: bad_handle.
OP2_API wide_index op_get_size(op_set set);
/// Number of local rows, halos included, of the set of this name. Local. Errors: bad_name.
OP2_API int op_size_of_set(const char* name);
/// Current number of rows of this rank: owned ones; of these, those that access no data of other
/// ranks ("core"); owned ones and the execute halo ("exec"); with all halos ("full"). Local.
/// Errors: bad_handle.
OP2_API int op_get_size_local(op_set set);
OP2_API int op_get_size_local_core(op_set set);
OP2_API int op_get_size_local_exec(op_set set);
OP2_API int op_get_size_local_full(op_set set);
/// Number of elements that lower ranks own. Collective. Errors: bad_handle.
OP2_API wide_index op_get_global_set_offset(op_set set);

/// The dat with these properties, or null. Local. Errors: bad_name.
OP2_API op_dat search_dat(op_set set, int dim, const char* type, int size, const char* name);
/// 1 if both are the same set. Local.
OP2_API int compare_sets(op_set one, op_set other);

/// To be called when the program has written rows through `dat->data` while no loop was queued: the
/// halos of the dat, or of all dats, are updated before they are read. Collective.
OP2_API void op_upload_all();
OP2_API void op_upload_dat(op_dat dat);
/// Executes pending loops, so that `dat->data` is current. Collective.
OP2_API void op_download_dat(op_dat dat);
/// Executes pending loops. Collective.
OP2_API void deviceSync();

// Memory.

/// Memory aligned to 64 bytes, which `free` can free too; null if there is none. Local.
OP2_API void* op_malloc(unsigned long size);
OP2_API void* op_calloc(unsigned long count, unsigned long size);
OP2_API void* op_realloc(void* memory, unsigned long size);
/// Frees it. Local.
OP2_API void op_free(void* memory);

/// A buffer for `op_par_scatter`: `size` elements of `dim` values, initially zero. Local. The
/// program frees it.
OP2_API buffer* op_create_buff(const char* name, const char* type, int size, int dim);
/// Frees a buffer. Local.
OP2_API void op_free_buff(buffer* made);
/// No effect, local: there is no device.
OP2_API void op_buff_upload(buffer* made);
OP2_API void op_buff_download(buffer* made);

// Files. Collective; pending loops are executed before.

/// Writes a file for ParaView, or one for each rank and one that names them: an extension of OP2,
/// see op2/io.hpp. Errors: null_data (no fields), bad_dim, wrong_set, bad_type, io_failure.
/// @param fields  shape [count]
OP2_API void op_write_vtu(const char* path, op_map cells_to_nodes, op_dat coordinates,
                          const op_dat* fields, int count);
OP2_API void op_write_pvtu(const char* path, op_map cells_to_nodes, op_dat coordinates,
                           const op_dat* fields, int count);

/// A set from an HDF5 file: its size is the single integer in dataset `name`, or the number of rows
/// of `dataset`. Each rank declares an equal block. Errors of this and the other functions for
/// HDF5: io_failure, bad_dataset, bad_name, not_compiled; see op2/hdf5.hpp.
OP2_API op_set op_decl_set_hdf5(const char* file, const char* name);
OP2_API op_set op_decl_set_hdf5_infer_size(const char* file, const char* name, const char* dataset);
/// A map or a dat from dataset `name`, shape [size of the set x dim]; indices count from
/// OP_MAPS_BASE_INDEX.
/// @return null, with a message, if the file has no such dataset
OP2_API op_map op_decl_map_hdf5(op_set from, op_set to, int dim, const char* file,
                                const char* name);
OP2_API op_dat op_decl_dat_hdf5(op_set set, int dim, const char* type, const char* file,
                                const char* name);

/// Reads or writes the `dim` values of dataset `name`, equal on all ranks.
/// @param data  of the type that `type` names, shape [dim]
OP2_API void op_get_const_hdf5(const char* name, int dim, const char* type, char* data,
                               const char* file);
OP2_API void op_write_const_hdf5(const char* name, int dim, const char* type, char* data,
                                 const char* file);

/// Writes all sets, maps and dats to a new file, from which they can be declared again.
OP2_API void op_dump_to_hdf5(const char* file);
OP2_API void op_write_hdf5(const char* file);  ///< older name of op_dump_to_hdf5
/// Writes a dat to `file` under its name, or under `path`, which may have groups; other datasets of
/// the file remain.
OP2_API void op_fetch_data_hdf5_file(op_dat dat, const char* file);
OP2_API void op_fetch_data_hdf5_file_path(op_dat dat, const char* file, const char* path);
}

/// Address of the local rows of a dat, or of the entries of a map, after executing pending loops.
/// Collective. OP2 returns integers here, which programs cast to pointers.
inline address op_get_data_ptr(op_dat dat) {
  return address(data_of(dat));
}
inline address op_get_map_ptr(op_map map) {
  return address(entries_of(map));
}

}  // namespace compat
}  // namespace op2
