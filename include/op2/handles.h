// SPDX-License-Identifier: BSD-3-Clause
// The structs behind the handles of sets, maps and dats. C++14, so that programs written for OP2's
// own headers share them with programs for op2.hpp. Fields may be read by anyone and are written by
// the library alone; handles live from their declaration to `op_exit`.
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
};
typedef op_set_core* op_set;

/// A map of fixed arity between two sets.
struct op_map_core {
  int index;
  op_set from, to;
  int dim;   ///< arity: targets per element of `from`
  int* map;  ///< local rows of `to`, shape [from->size x dim]; moves with the mesh
  const char* name;
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
  const char* type;  ///< canonical type string
  const char* name;
};
typedef op_dat_core* op_dat;
