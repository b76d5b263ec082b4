// SPDX-License-Identifier: BSD-3-Clause
// The structs that the handles of sets, maps and dats point to. C++11, so that programs written for
// OP2's headers share them with programs for op2.hpp. Programs may read fields; only the library
// writes them. Handles are valid from their declaration to `op_exit`. Fields with an initialiser
// exist for source compatibility with OP2: the library does not use them and they keep that
// value.
#pragma once

/// Before a declaration: the library exports it.
#if defined(__GNUC__)
#define OP2_API __attribute__((visibility("default")))
#else
#define OP2_API
#endif

/// A set of mesh elements.
struct op_set_core {
  int index;  ///< position in the order of declaration
  int size;   ///< elements that this rank owns
  const char* name;
  int core_size;     ///< owned elements that access no data of other ranks
  int exec_size;     ///< imported elements that are executed redundantly
  int nonexec_size;  ///< imported elements that are only read
  int stride = 1;    ///< between the values of one element: they are contiguous
};
typedef op_set_core* op_set;  ///< the handle of a set

/// A map of fixed arity between two sets.
struct op_map_core {
  int index;
  op_set from, to;
  int dim;   ///< arity: targets per element of `from`
  int* map;  ///< local indices of `to`, shape [from->size x dim]; pointer not stable
  long long* map_gbl = nullptr;
  int* map_d = nullptr;
  const char* name;
  int user_managed = 0;  ///< the entries are a copy
  bool force_part = false;
};
typedef op_map_core* op_map;  ///< the handle of a map

/// Data on a set: `dim` values of one type per element.
struct op_dat_core {
  int index;
  op_set set;
  int dim;
  int size;    ///< bytes per element: dim * bytes per value
  char* data;  ///< local rows, in the local order, shape [rows x dim]; current only after a flush;
               ///< the pointer changes when the mesh is renumbered, distributed or extended
  char* data_d = nullptr;
  const char* type;  ///< canonical type string
  const char* name;  ///< the program may redirect it to its own string; the library keeps a copy
  char* buffer_d = nullptr;
  char* buffer_d_r = nullptr;
  int dirtybit = 0;
  int dirty_hd = 0;
  int user_managed = 0;  ///< the rows are a copy
  void* mpi_buffer = nullptr;
};
typedef op_dat_core* op_dat;  ///< the handle of a dat
