// SPDX-License-Identifier: BSD-3-Clause
// Includes op_lib_core.h, op_rt_support.h and op_hdf5.h.
#pragma once

#include "op_hdf5.h"
#include "op_lib_core.h"
#include "op_rt_support.h"
