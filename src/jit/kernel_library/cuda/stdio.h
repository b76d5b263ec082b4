// SPDX-License-Identifier: BSD-3-Clause
#pragma once
inline int puts(const char* text) { return printf("%s\n", text); }
namespace std {
using ::printf, ::puts;
}
