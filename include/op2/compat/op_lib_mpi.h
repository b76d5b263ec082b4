// SPDX-License-Identifier: BSD-3-Clause
// As op_mpi_core.h.
#pragma once

#include "op_mpi_core.h"
