// SPDX-License-Identifier: BSD-3-Clause
#pragma once
namespace std {
using ::size_t, ::ptrdiff_t;
}
