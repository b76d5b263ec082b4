// SPDX-License-Identifier: BSD-3-Clause
// <string.h> for kernels.
#pragma once

#include <stddef.h>
extern "C" {
void* memcpy(void*, const void*, size_t) noexcept;
void* memmove(void*, const void*, size_t) noexcept;
void* memset(void*, int, size_t) noexcept;
int memcmp(const void*, const void*, size_t) noexcept;
size_t strlen(const char*) noexcept;
}
namespace std {
using ::memcpy, ::memmove, ::memset, ::memcmp, ::strlen;
}
