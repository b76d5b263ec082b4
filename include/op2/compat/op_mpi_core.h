// SPDX-License-Identifier: BSD-3-Clause
// As op_lib_mpi.h. The lists of halos and parts that OP2 has here are the library's own business.
#pragma once

#include "op_lib_mpi.h"
