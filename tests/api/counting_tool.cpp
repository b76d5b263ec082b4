// SPDX-License-Identifier: BSD-3-Clause
// A tool that writes down what it is told, for a test that asks for it by `told`.
#include <cstring>
#include <string>

#include <op2/tool.h>

namespace {

std::string& text() {
  static std::string all;
  return all;
}

void add(const char* event, const char* name) {
  text() += std::string(event) + " " + name + "\n";
}

}  // namespace

extern "C" {
OP2_TOOL_API const char* told() {
  return text().c_str();
}
void op2_tool_init(int interface_version, int rank, int ranks) {
  text() = "init " + std::to_string(interface_version) + " " + std::to_string(rank) + " " +
           std::to_string(ranks) + "\n";
}
void op2_tool_finalize(void) {
  add("finalize", "");
}
void op2_tool_begin_part(const char* part) {
  add("begin part", part);
}
void op2_tool_end_part(const char* part) {
  add("end part", part);
}
void op2_tool_begin_loop(const char* name) {
  add("begin loop", name);
}
void op2_tool_end_loop(const char* name) {
  add("end loop", name);
}
void op2_tool_loop_on_device(const char* name, double seconds) {
  add("loop on device", (std::string(name) + " " + std::to_string(seconds)).c_str());
}
void op2_tool_begin_region(const char* name) {
  add("begin region", name);
}
void op2_tool_end_region(const char* name) {
  add("end region", name);
}
}
