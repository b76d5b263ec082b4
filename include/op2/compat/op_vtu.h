// SPDX-License-Identifier: BSD-3-Clause
// Grids for ParaView. OP2 has no such header: only programs that know libop2 include it.
#pragma once

#include "op_lib_core.h"

using op2::compat::op_write_pvtu;
using op2::compat::op_write_vtu;
