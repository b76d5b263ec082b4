// SPDX-License-Identifier: BSD-3-Clause
// The libraries of OP2_TOOLS, which are told what a session does (op2/tool.h).
#pragma once

#include <string>
#include <vector>

#include <core/measurements/listener.hpp>

namespace op2::core {

class Tools : public Listener {
 public:
  /// Loads the libraries, in the order of the list, then begins with them. They stay in the
  /// process.
  /// @param list  files or names for the dynamic linker, separated by commas; empty: no tool
  /// @throws Error bad_option  if one cannot be loaded, or has none of the functions
  Tools(const std::string& list, int rank, int ranks);
  ~Tools() override;
  Tools(const Tools&) = delete;
  Tools& operator=(const Tools&) = delete;

  void part_begins(Part part) override { tell(&Tool::begin_part, name_of(part)); }
  void part_ends(Part part) override { tell(&Tool::end_part, name_of(part)); }
  void region_begins(const char* name) override { tell(&Tool::begin_region, name); }
  void region_ends(const char* name) override { tell(&Tool::end_region, name); }
  void step_begins(const char* name) override { tell(&Tool::begin_loop, name); }
  void step_ends(const char* name) override { tell(&Tool::end_loop, name); }
  void step_ran_on_device(const char* name, Clock::time_point, double seconds) override {
    tell(&Tool::loop_on_device, name, seconds);
  }
  bool times_devices() const override;

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

}  // namespace op2::core
