// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>

#include <algorithm>
#include <string>
#include <vector>

#include <op2/tool.h>

#include <api/listeners/listeners.hpp>
#include <api/runtime.hpp>
#include <core/error.hpp>
#include <core/text.hpp>

namespace op2::api {
namespace {

class Tools : public core::Listener {
 public:
  /// Loads the libraries, in the order of the list, then begins with them. They stay in the
  /// process.
  /// @param list  files or names for the dynamic linker, separated by commas
  Tools(const std::string& list, int rank, int ranks) {
    for (const std::string& file : core::words_of(list)) tools_.push_back(load(file));
    // Now none can be refused: each that begins is ended.
    tell(&Tool::init, OP2_TOOL_INTERFACE, rank, ranks);
  }
  ~Tools() override { tell(&Tool::finalize); }
  Tools(const Tools&) = delete;
  Tools& operator=(const Tools&) = delete;

  void part_begins(core::Part part) override { tell(&Tool::begin_part, core::name_of(part)); }
  void part_ends(core::Part part) override { tell(&Tool::end_part, core::name_of(part)); }
  void region_begins(const char* name) override { tell(&Tool::begin_region, name); }
  void region_ends(const char* name) override { tell(&Tool::end_region, name); }
  void step_begins(const char* name) override { tell(&Tool::begin_loop, name); }
  void step_ends(const char* name) override { tell(&Tool::end_loop, name); }
  void step_ran_on_device(const char* name, core::Clock::time_point, double seconds) override {
    tell(&Tool::loop_on_device, name, seconds);
  }
  bool times_devices() const override {
    return std::ranges::any_of(tools_, [](const Tool& tool) { return tool.loop_on_device; });
  }

 private:
  using Event = void (*)(const char*);
  struct Tool {
    void (*init)(int, int, int);
    Event begin_part, end_part, begin_loop, end_loop, begin_region, end_region;
    void (*loop_on_device)(const char*, double);
    void (*finalize)();
  };
  static Tool load(const std::string& file);
  template <class Function, class... Args>
  void tell(Function* Tool::* event, Args... args) const {
    for (const Tool& tool : tools_)
      if (tool.*event != nullptr) (tool.*event)(args...);
  }

  std::vector<Tool> tools_;
};

Tools::Tool Tools::load(const std::string& file) {
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr)
    core::fail(ErrorCode::bad_option, "a tool cannot be loaded: OP2_TOOLS, {}; name its library",
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
    core::fail(
        ErrorCode::bad_option,
        "a library is not a tool: OP2_TOOLS, '{}' has 0 of the functions of op2/tool.h; name one "
        "that defines them with C linkage",
        file);
  return tool;
}

}  // namespace

std::unique_ptr<core::Listener> make_tools(Runtime& runtime) {
  return std::make_unique<Tools>(runtime.options.tools, runtime.ranks().rank(),
                                 runtime.ranks().size());
}

}  // namespace op2::api
