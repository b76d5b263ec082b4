// SPDX-License-Identifier: BSD-3-Clause
// The structs that programs written for OP2's headers see. op_lib_core.h provides them under OP2's
// names. C++11.
#pragma once

#include <sys/queue.h>

#include "../handles.h"

namespace op2 {
namespace compat {

typedef long long wide_index;  ///< a global index, and sizes of sets over all ranks

/// An argument of a loop. `data` of a global points to the program's memory; of a dat, to its rows
/// at the time when the argument was created or last passed to `op_mpi_halo_exchanges`.
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

/// Values of the program that belong to no set (`op_create_buff`).
struct buffer {
  int size;       ///< elements
  int dim;        ///< values per element
  int elem_size;  ///< bytes per value
  char* data;     ///< shape [size x dim]
  char* data_d;
  const char* type;
  const char* name;
  int dirty_hd;
};

/// A kernel given as a function of the program.
struct function {
  void (*address)();  ///< of the function, which takes one pointer per argument
  void (*call)(void (*address)(), char* const* arguments);
  int parameters;
};

/// A row of `OP_kernels`, filled by a program that calls kernels itself (`op_timing_realloc`).
/// Loops of the library are in the per-loop table instead.
struct kernel_row {
  const char* name;
  int count;
  double time;    ///< seconds
  double* times;  ///< shape [ntimes], or null
  int ntimes;
  float plan_time;
  float transfer;
  float transfer2;
  double mpi_time;
};

/// An entry of `OP_dat_list`.
struct dat_entry {
  op_dat dat;
  void* orig_ptr;  ///< null: the program's array is copied and not kept
  TAILQ_ENTRY(dat_entry) entries;
};
/// The list of dats, for the macros of sys/queue.h.
TAILQ_HEAD(dat_list, dat_entry);

/// OP2's global variables; op_lib_core.h provides the fields under OP2's names. Before `op_init`
/// and after `op_exit` the lists are empty.
struct variables {
  int diags;
  int part_size;
  int block_size;
  int cache_line_size;
  int gpu_direct;
  int auto_soa;
  double hybrid_balance;
  int maps_base_index;  ///< 1: values of maps count from 1
  int mpi_test_frequency;
  int partial_exchange;
  bool disable_mpi_reductions;
  int cuda_reductions_mib;
  int is_partitioned;  ///< 1 after `op_partition`, or once the first loop has distributed the mesh
  int set_index;       ///< number of declared sets
  int map_index;
  int dat_index;
  op_set* set_list;     ///< shape [set_index]
  op_map* map_list;     ///< shape [map_index]
  dat_list dats;        ///< all except freed ones
  kernel_row* kernels;  ///< shape [kern_max]
  int kern_max;
  int kern_curr;
  double plan_time;
  int hybrid_gpu;
};

/// Updated by each call. Local.
OP2_API variables& values();

/// Rows of one set that are exported or imported, in the order of the neighbour ranks.
struct halo_rows {
  op_set set;
  int size;        ///< rows
  int* ranks;      ///< shape [ranks_size], ascending
  int ranks_size;  ///< neighbours
  int* disps;      ///< shape [ranks_size]: offset of each neighbour's rows in `list`
  int* sizes;      ///< shape [ranks_size]: number of rows of each neighbour
  int* list;       ///< shape [size]: local indices, for imports too
};

/// Global index and owner of the rows of one set, halos included: rows = size + exec_size +
/// nonexec_size. Read only; for the lifetime see `lists`.
struct part_rows {
  op_set set;
  wide_index* g_index;  ///< shape [rows]: global indices as declared
  int* elem_part;       ///< shape [rows]: owner rank
  int is_partitioned;   ///< always 1: lists exist only for partitioned sets
};

/// Variables of OP2's MPI library; op_mpi_core.h provides the fields under OP2's names. Lists have
/// one entry per set, by its index, and are null as long as the mesh is not distributed. Rows of
/// the execute halo follow the owned rows, in the order of `import_exec`; rows of the non-execute
/// halo follow them, in the order of `import_nonexec`.
struct halo_lists {
  int part_index;  ///< number of sets with lists
  part_rows** parts;
  wide_index** declared;  ///< per set, shape [ranks x 2]: first and last declared global index
  halo_rows** export_exec;
  halo_rows** import_exec;
  halo_rows** export_nonexec;
  halo_rows** import_nonexec;
};

/// Rebuilt by the first call after rows have moved (new sets or maps, op_partition; on one rank the
/// first loop, if it renumbers elements; not when halos grow), which invalidates the previous
/// lists. Local. Cost of that call: O(rows).
OP2_API const halo_lists& lists();

/// The plan of a translated program; never created by this library (see `op_plan_get`).
struct plan {
  const char* name;
  op_set set;
  int nargs, ninds, part_size, nblocks, ncolors, ncolors_core, ncolors_owned, count, nshared;
  op_map* maps;
  op_dat* dats;
  int *idxs, *optflags, *accs;
  int *nelems, *offset, *ncolblk, *blkmap, *nthrcol, *thrcol, *col_reord, *nindirect;
  int *ind_map, **ind_maps, *ind_offs, *ind_sizes, *nsharedCol;
  short *loc_map, **loc_maps;
  float transfer, transfer2;
};

/// An address that converts to any pointer type and to an integer.
class address {
 public:
  /// @param pointer  may be null
  explicit address(void* pointer) : pointer_(pointer) {}
  /// As OP2's programs cast it.
  template <class T>
  operator T*() const {
    return static_cast<T*>(pointer_);
  }
  /// As OP2 returns it.
  operator unsigned long() const { return reinterpret_cast<unsigned long>(pointer_); }

 private:
  void* pointer_;
};

}  // namespace compat
}  // namespace op2
