// SPDX-License-Identifier: BSD-3-Clause
// What translated programs ask for is in op_lib_core.h: arguments, exchanges, plans.
#pragma once

#include "op_lib_core.h"
