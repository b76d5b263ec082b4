// SPDX-License-Identifier: BSD-3-Clause
// Includes op_mpi_core.h.
#pragma once

#include "op_mpi_core.h"
