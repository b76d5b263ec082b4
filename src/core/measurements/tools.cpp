// SPDX-License-Identifier: BSD-3-Clause
#include <core/measurements/tools.hpp>

#include <dlfcn.h>

#include <algorithm>

#include <op2/tool.h>

#include <core/error.hpp>
#include <core/text.hpp>

namespace op2::core {

Tools::Tools(const std::string& list, int rank, int ranks) {
  for (const std::string& file : words_of(list)) tools_.push_back(load(file));
  // Now none can be refused: each that begins is ended.
  tell(&Tool::init, OP2_TOOL_INTERFACE, rank, ranks);
}

Tools::~Tools() {
  tell(&Tool::finalize);
}

bool Tools::times_devices() const {
  return std::ranges::any_of(tools_,
                             [](const Tool& tool) { return tool.loop_on_device != nullptr; });
}

Tools::Tool Tools::load(const std::string& file) {
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr)
    fail(ErrorCode::bad_option, "a tool cannot be loaded: OP2_TOOLS, {}; name its library",
         dlerror());
  int found = 0;
  const auto find = [&]<class Function>(Function*, const char* name) {
    void* const address = dlsym(library, name);
    found += address != nullptr ? 1 : 0;
    return reinterpret_cast<Function*>(address);
  };
#define OP2_FIND_IN_TOOL(name) find(static_cast<decltype(&name)>(nullptr), #name)
  const Tool tool{OP2_FIND_IN_TOOL(op2_tool_init),       OP2_FIND_IN_TOOL(op2_tool_begin_part),
                  OP2_FIND_IN_TOOL(op2_tool_end_part),   OP2_FIND_IN_TOOL(op2_tool_begin_loop),
                  OP2_FIND_IN_TOOL(op2_tool_end_loop),   OP2_FIND_IN_TOOL(op2_tool_begin_region),
                  OP2_FIND_IN_TOOL(op2_tool_end_region), OP2_FIND_IN_TOOL(op2_tool_loop_on_device),
                  OP2_FIND_IN_TOOL(op2_tool_finalize)};
#undef OP2_FIND_IN_TOOL
  if (found == 0)
    fail(ErrorCode::bad_option,
         "a library is not a tool: OP2_TOOLS, '{}' has 0 of the functions of op2/tool.h; name one "
         "that defines them with C linkage",
         file);
  return tool;
}

}  // namespace op2::core
