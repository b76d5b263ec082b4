// SPDX-License-Identifier: BSD-3-Clause
#include "ranges.hpp"

#include <op2/tool.h>

extern "C" {

void op2_tool_begin_part(const char* part) {
  begin_range(std::string("op2 ") + part);
}
void op2_tool_end_part(const char*) {
  end_range();
}
void op2_tool_begin_loop(const char* name) {
  begin_range(std::string("loop ") + name);
}
void op2_tool_end_loop(const char*) {
  end_range();
}
void op2_tool_begin_region(const char* name) {
  begin_range(name);
}
void op2_tool_end_region(const char*) {
  end_range();
}
}
