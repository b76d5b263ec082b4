// SPDX-License-Identifier: BSD-3-Clause
#include <cstdarg>
#include <cstdio>

#include <op2/runtime.hpp>

void op_printf(const char* format, ...) {
  std::va_list args;
  va_start(args, format);
  std::vprintf(format, args);
  va_end(args);
  std::fflush(stdout);
}
