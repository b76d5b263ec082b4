// SPDX-License-Identifier: BSD-3-Clause
#pragma once
namespace std {
using ::ptrdiff_t;
using ::size_t;
}  // namespace std
