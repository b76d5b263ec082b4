// SPDX-License-Identifier: BSD-3-Clause
// What the library offers to programs written for OP2's own headers, under OP2's names and with C
// linkage, in a namespace of its own; op_lib_core.h and its like bring the names out. C++14.
//
// An error of a call is logged and ends the program (exit code 1; on several ranks the whole job),
// unless an error handler was installed. Meanings and errors are those of the functions of the same
// name in op2.hpp, where nothing else is said.
#pragma once

#include "../handles.h"

namespace op2 {
namespace compat {

typedef long long wide_index;

/// An argument of a loop. `data` of a global is the program's memory.
struct arg {
  int index;
  op_dat dat;
  op_map map;
  int dim;
  int idx;
  int size;  ///< bytes of one row, or of the global
  char* data;
  char* data_d;
  int* map_data;
  int* map_data_d;
  const char* type;
  int acc;
  int argtype;
  int sent;
  int opt;
};

/// A kernel as a function of the program.
struct function {
  void (*address)();  ///< of the function, which takes one pointer per argument
  void (*call)(void (*address)(), char* const* arguments);
  int parameters;
};

/// Queues a loop, or executes it at once if the text of its kernel is not known.
/// @param args  shape [count]
OP2_API void par_loop(const function& kernel, const char* name, const char* file, int line,
                      op_set set, const arg* args, int count);

/// Declares a constant by the address of its variable, shape [dim].
/// @param size  bytes of one value
OP2_API void decl_const(int dim, const char* type, int size, const void* values);

/// @param size  bytes of one value
OP2_API void get_data(op_dat dat, int size, char* values);
OP2_API void get_data_range(op_dat dat, int size, char* values, int low, int high);

extern "C" {
// Start and end. The communicators are MPI_Comm_c2f of the program's.
OP2_API void op_init(int argc, char** argv, int diags);
OP2_API void op_init_soa(int argc, char** argv, int diags, int soa);
OP2_API void op_mpi_init(int argc, char** argv, int diags, int global, int local);
OP2_API void op_mpi_init_soa(int argc, char** argv, int diags, int global, int local, int soa);
OP2_API void op_exit();
OP2_API void op_rank(int* rank);
OP2_API int op_is_root();
OP2_API void op_printf(const char* format, ...);
OP2_API void op_print(const char* text);
OP2_API void op_timers(double* cpu, double* wall);
OP2_API void op_timers_core(double* cpu, double* wall);
OP2_API void op_timing_output();
OP2_API void op_timings_to_csv(const char* path);
OP2_API void op_timing_realloc(int kernel);
OP2_API void op_diagnostic_output();

// Declarations. Values of maps are global numbers.
OP2_API op_set op_decl_set(int size, const char* name);
OP2_API op_map op_decl_map(op_set from, op_set to, int dim, int* values, const char* name);
OP2_API op_map op_decl_map_long(op_set from, op_set to, int dim, wide_index* values,
                                const char* name);
OP2_API op_dat op_decl_dat_char(op_set set, int dim, const char* type, int size, char* data,
                                const char* name);
OP2_API op_dat op_decl_dat_temp_char(op_set set, int dim, const char* type, int size,
                                     const char* name);
OP2_API int op_free_dat_temp_char(op_dat dat);
OP2_API void op_partition(const char* library, const char* routine, op_set set, op_map map,
                          op_dat coordinates);
OP2_API void op_renumber(op_map base);
OP2_API void op_halo_create();
OP2_API void op_halo_destroy();

// Arguments.
OP2_API arg op_arg_dat(op_dat dat, int idx, op_map map, int dim, const char* type, int acc);
OP2_API arg op_opt_arg_dat(int opt, op_dat dat, int idx, op_map map, int dim, const char* type,
                           int acc);
OP2_API arg op_arg_gbl_char(char* data, int dim, const char* type, int size, int acc);
OP2_API arg op_opt_arg_gbl_char(int opt, char* data, int dim, const char* type, int size, int acc);
OP2_API arg op_arg_info_char(char* data, int dim, const char* type, int size, int reference);
OP2_API arg op_arg_idx(int idx, op_map map);

// Results. `op_upload_dat` and its like execute what is queued: data are where the program runs.
OP2_API void op_fetch_data_char(op_dat dat, char* values);
OP2_API void op_print_dat_to_txtfile(op_dat dat, const char* path);
OP2_API void op_print_dat_to_binfile(op_dat dat, const char* path);
OP2_API wide_index op_get_size(op_set set);
OP2_API int op_size_of_set(const char* name);
OP2_API void op_upload_all();
OP2_API void op_upload_dat(op_dat dat);
OP2_API void op_download_dat(op_dat dat);
OP2_API void deviceSync();

// Memory that `free` frees as well; aligned to 16 bytes.
OP2_API void* op_malloc(unsigned long size);
OP2_API void* op_calloc(unsigned long count, unsigned long size);
OP2_API void* op_realloc(void* memory, unsigned long size);
OP2_API void op_free(void* memory);

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
OP2_API void op_fetch_data_hdf5_file(op_dat dat, const char* file);
OP2_API void op_fetch_data_hdf5_file_path(op_dat dat, const char* file, const char* path);
}

}  // namespace compat
}  // namespace op2
