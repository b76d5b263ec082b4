// SPDX-License-Identifier: BSD-3-Clause
// Functions for translated programs are in op_lib_core.h: arguments, exchanges, plans.
#pragma once

#include "op_lib_core.h"
