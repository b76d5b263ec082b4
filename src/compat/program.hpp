// SPDX-License-Identifier: BSD-3-Clause
// State of a program beyond the library's session: what OP2 keeps in global variables.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include <op2/compat/op2_records.h>
#include <op2/op2.hpp>

#include <compat/halo_lists.hpp>
#include <compat/profile.hpp>

namespace op2::compat {

/// MPI as the program uses it (op_lib_mpi.h).
struct MpiUser {
  void (*begin)(int argc, char** argv);
  void (*end)();
};

/// Communicators as Fortran handles (MPI_Comm_c2f).
struct Communicators {
  int global, local;
};

struct Program {
  variables values{};
  std::vector<op_set> sets;
  std::vector<op_map> maps;
  std::deque<dat_entry> dats;
  std::vector<kernel_row> kernels;
  std::deque<std::vector<double>> times;  ///< of rows of `kernels`
  std::optional<HaloLists> lists;         ///< what `lists()` has made in this session
  Profile profile;
  std::optional<MpiUser> mpi_user;
  std::optional<Communicators> communicators;
  int rank;                  ///< in the last session; before the first one, as launched
  bool partitioned = false;  ///< op_partition was called
};

/// Made by the first call; lives as long as the process, also from session to session.
Program& program();

/// Sets the values that hold at `op_init`, and reads OP2's arguments on the command line.
/// @throws Error bad_option (a base index that is neither 0 nor 1)
void begin_program(int argc, char** argv, int diags);

/// Logs the arguments of OP2 that are ignored, at level debug. Local.
void report_words(int argc, char** argv);

}  // namespace op2::compat
