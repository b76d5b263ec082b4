// SPDX-License-Identifier: BSD-3-Clause
#pragma once
inline void* memmove(void* to, const void* from, size_t bytes) {
  char* t = static_cast<char*>(to);
  const char* f = static_cast<const char*>(from);
  if (t < f)
    for (size_t k = 0; k < bytes; ++k) t[k] = f[k];
  else
    for (size_t k = bytes; k > 0; --k) t[k - 1] = f[k - 1];
  return to;
}
inline int memcmp(const void* a, const void* b, size_t bytes) {
  const unsigned char* x = static_cast<const unsigned char*>(a);
  const unsigned char* y = static_cast<const unsigned char*>(b);
  for (size_t k = 0; k < bytes; ++k)
    if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
  return 0;
}
inline size_t strlen(const char* text) {
  size_t length = 0;
  while (text[length] != 0) ++length;
  return length;
}
namespace std {
using ::memcpy, ::memmove, ::memset, ::memcmp, ::strlen;
}
