// SPDX-License-Identifier: BSD-3-Clause
// Files for ParaView: an extension of libop2 that OP2 does not have.
#pragma once

#include "op_lib_core.h"

using op2::compat::op_write_pvtu;
using op2::compat::op_write_vtu;
