// SPDX-License-Identifier: BSD-3-Clause
// <stddef.h> for kernels.
#pragma once

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
namespace std {
using ::size_t, ::ptrdiff_t;
}
#ifndef NULL
#define NULL __null
#endif
