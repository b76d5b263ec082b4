// SPDX-License-Identifier: BSD-3-Clause
// <stdio.h> for kernels.
#pragma once

extern "C" {
int printf(const char*, ...) __attribute__((format(printf, 1, 2)));
int puts(const char*);
}
namespace std {
using ::printf, ::puts;
}
