// SPDX-License-Identifier: BSD-3-Clause
// What programs for OP2's own headers expect of MPI beside op_seq.h: MPI itself.
#pragma once

#include <mpi.h>

#include "op_lib_core.h"

/// For programs that add specialisations.
template <class T>
MPI_Datatype get_mpi_type();
