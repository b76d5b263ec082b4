// SPDX-License-Identifier: BSD-3-Clause
// MPI for programs written for OP2's headers: initialised from `op_init` to `op_exit`, also where
// the library does not need it; and OP2's variables with halo lists and partitions. Without MPI if
// OP_MPI_CORE_NOMPI is defined.
#pragma once

#include "op_lib_core.h"

#ifndef OP_MPI_CORE_NOMPI
#include <mpi.h>

#include <stdexcept>
#include <type_traits>

// The root, not MPI's constant for intercommunicators.
#undef MPI_ROOT
/// The rank on which OP2 prints.
#define MPI_ROOT 0

/// The MPI datatype of a value type, const or not. Programs may specialise it for other types.
/// @throws std::runtime_error  for an unknown type
template <class T>
MPI_Datatype get_mpi_type() {
  using V = typename std::remove_cv<T>::type;
  if (std::is_same<V, double>::value) return MPI_DOUBLE;
  if (std::is_same<V, float>::value) return MPI_FLOAT;
  if (std::is_same<V, int>::value) return MPI_INT;
  if (std::is_same<V, uint>::value) return MPI_UNSIGNED;
  if (std::is_same<V, long>::value) return MPI_LONG;
  if (std::is_same<V, unsigned long>::value) return MPI_UNSIGNED_LONG;
  if (std::is_same<V, ll>::value) return MPI_LONG_LONG;
  if (std::is_same<V, ull>::value) return MPI_UNSIGNED_LONG_LONG;
  if (std::is_same<V, bool>::value) return MPI_C_BOOL;
  throw std::runtime_error("get_mpi_type: this type has no known MPI datatype; specialise it");
}
template <class T>
MPI_Datatype get_mpi_type(T*) {
  return get_mpi_type<T>();
}

namespace op2 {
namespace compat {

/// Makes `op_init` initialise MPI and `op_exit` finalise it.
struct mpi_user {
  /// Initialises MPI, unless that was done before.
  static void begin(int argc, char** argv) {
    int running = 0, ended = 0, level = 0;
    MPI_Initialized(&running);
    MPI_Finalized(&ended);
    if (!running && !ended) MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  }
  /// Finalises MPI, unless that was done before.
  static void end() {
    int running = 0, ended = 0;
    MPI_Initialized(&running);
    MPI_Finalized(&ended);
    if (running && !ended) MPI_Finalize();
  }
  /// Registers both with the library.
  mpi_user() { use_mpi(&begin, &end); }
};
namespace {
const mpi_user uses_mpi;
}

/// What the macros below stand for. Local.
/// @param local  the ranks that share the mesh, instead of those of the job
inline MPI_Comm communicator(bool local) {
  int global_handle = 0, local_handle = 0;
  if (!given_communicators(&global_handle, &local_handle)) return MPI_COMM_WORLD;
  return MPI_Comm_f2c(local ? local_handle : global_handle);
}

}  // namespace compat
}  // namespace op2

/// The ranks that share the mesh, and those of the whole job: MPI_COMM_WORLD, or the communicators
/// that the program passed to `op_mpi_init`.
#define OP_MPI_WORLD (op2::compat::communicator(true))
#define OP_MPI_GLOBAL (op2::compat::communicator(false))
#endif

/// Exported and imported rows, and partitions of sets. Like `OP_diags` and the other variables of
/// OP2, the lists are macros that call the library (see `op2::compat::lists`). They are null before
/// `op_init` and, on several ranks, until `op_partition` or the first loop distributes the mesh,
/// also after new sets or maps. On one rank halos have no rows.
typedef op2::compat::halo_rows halo_list_core;
typedef halo_list_core* halo_list;
typedef op2::compat::part_rows part_core;
typedef part_core* part;

/// The fields of `op2::compat::halo_lists`, under OP2's names.
#define OP_part_index (op2::compat::lists().part_index)
#define OP_part_list (op2::compat::lists().parts)
#define orig_part_range (op2::compat::lists().declared)
#define OP_export_exec_list (op2::compat::lists().export_exec)
#define OP_import_exec_list (op2::compat::lists().import_exec)
#define OP_export_nonexec_list (op2::compat::lists().export_nonexec)
#define OP_import_nonexec_list (op2::compat::lists().import_nonexec)
