// SPDX-License-Identifier: BSD-3-Clause
// The libraries of OP2_TOOLS, which are told what a session does (op2/tool.h).
#pragma once

#include <string>
#include <vector>

namespace op2::core {

class Tools {
 public:
  /// Loads the libraries, in the order of the list, then begins with them. They stay in the
  /// process.
  /// @param list  files or names for the dynamic linker, separated by commas; empty: no tool
  /// @throws Error bad_option  if one cannot be loaded, or has none of the functions
  Tools(const std::string& list, int rank, int ranks);
  ~Tools();
  Tools(const Tools&) = delete;
  Tools& operator=(const Tools&) = delete;

  bool any() const { return !tools_.empty(); }
  void begin_part(const char* part) const { tell(&Tool::begin_part, part); }
  void end_part(const char* part) const { tell(&Tool::end_part, part); }
  void begin_loop(const char* name) const { tell(&Tool::begin_loop, name); }
  void end_loop(const char* name) const { tell(&Tool::end_loop, name); }
  /// Whether a tool wants to know how long loops take on a GPU.
  bool time_devices() const;
  void loop_on_device(const char* name, double seconds) const {
    tell(&Tool::loop_on_device, name, seconds);
  }
  void begin_region(const char* name) const { tell(&Tool::begin_region, name); }
  void end_region(const char* name) const { tell(&Tool::end_region, name); }

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
  void tell(Function* Tool::*event, Args... args) const {
    for (const Tool& tool : tools_)
      if (tool.*event != nullptr) (tool.*event)(args...);
  }

  std::vector<Tool> tools_;
};

}  // namespace op2::core
