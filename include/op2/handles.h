// SPDX-License-Identifier: BSD-3-Clause
// The structs behind the handles of sets, maps and dats. C++11, so that programs written for OP2's
// own headers share them with programs for op2.hpp. Fields may be read by anyone and are written by
// the library alone; handles live from their declaration to `op_exit`. Fields that keep the value
// given here are OP2's and mean nothing in this library: they are there for programs that name
// them.
#pragma once

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
  int core_size;     ///< owned elements that touch no other rank's data
  int exec_size;     ///< imported elements that are executed redundantly
  int nonexec_size;  ///< imported elements that are only read
  int stride = 1;    ///< from one value of an element to the next: they lie beside each other
};
typedef op_set_core* op_set;

/// A map of fixed arity between two sets.
struct op_map_core {
  int index;
  op_set from, to;
  int dim;   ///< arity: targets per element of `from`
  int* map;  ///< local rows of `to`, shape [from->size x dim]; moves with the mesh
  long long* map_gbl = nullptr;
  int* map_d = nullptr;
  const char* name;
  int user_managed = 0;  ///< the entries are a copy
  bool force_part = false;
};
typedef op_map_core* op_map;

/// Data on a set: `dim` values of one type per element.
struct op_dat_core {
  int index;
  op_set set;
  int dim;
  int size;    ///< bytes per element: dim * bytes per value
  char* data;  ///< local rows, in an order of the library, shape [rows x dim]; current only after a
               ///< flush; moves when the mesh is ordered, distributed or added to
  char* data_d = nullptr;
  const char* type;  ///< canonical type string
  const char* name;  ///< the program may let it point to a text of its own; the library has a copy
  char* buffer_d = nullptr;
  char* buffer_d_r = nullptr;
  int dirtybit = 0;
  int dirty_hd = 0;
  int user_managed = 0;  ///< the rows are a copy
  void* mpi_buffer = nullptr;
};
typedef op_dat_core* op_dat;
