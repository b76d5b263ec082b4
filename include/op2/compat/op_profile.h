// SPDX-License-Identifier: BSD-3-Clause
// Profiling under OP2's names: sections of the program, in addition to the per-loop table. The time
// of a section is the wall clock time between its begin and end. Loops queued in a section may be
// executed after it; with OP2_CHECK=pointers each is executed at its call.
#pragma once

#include <string>

#include "op2_profile.h"
#include "op_lib_core.h"

namespace op2 {
namespace compat {

/// The same as an object; there is one profile. `sync` is ignored: there is no device to wait for.
class profiler {
 public:
  /// The profile.
  static profiler& instance() {
    static profiler one;
    return one;
  }
  /// @{
  /// As the functions op_profile_start, op_profile_enter, ... below.
  void start(const std::string& name) { profile_enter(name.c_str()); }
  void enter(const std::string& name, bool sync = true) {
    static_cast<void>(sync);
    profile_enter(name.c_str());
  }
  void enter_kernel(const std::string& name, const std::string& target,
                    const std::string& variant) {
    const std::string gap = target.empty() || variant.empty() ? "" : ", ";
    const std::string how = target + gap + variant;
    profile_enter((how.empty() ? name : name + " (" + how + ")").c_str());
  }
  void next(const std::string& name) { profile_next(name.c_str()); }
  void exit(bool sync = true) {
    static_cast<void>(sync);
    profile_exit();
  }
  void finish() { profile_end(); }
  void output() { profile_output(); }
  void output_json(const std::string& path) { profile_output_json(path.c_str()); }
  /// @}
};

}  // namespace compat
}  // namespace op2

typedef op2::compat::profiler op_profile;  ///< OP2's name

/// Begins the measurement: the outermost section.
inline void op_profile_start(const std::string& name = "total") {
  op2::compat::profile_enter(name.c_str());
}
/// Begins a section inside the open one. Local.
inline void op_profile_enter(const std::string& name) {
  op2::compat::profile_enter(name.c_str());
}
/// The same for a kernel. Local.
/// @param target, variant  shown in parentheses after the kernel's name
inline void op_profile_enter_kernel(const std::string& name, const std::string& target = "",
                                    const std::string& variant = "") {
  op_profile::instance().enter_kernel(name, target, variant);
}
/// Ends the innermost section, unless it is the outermost, and begins another. Local.
inline void op_profile_next(const std::string& name) {
  op2::compat::profile_next(name.c_str());
}
/// Ends the innermost open section. Local.
inline void op_profile_exit() {
  op2::compat::profile_exit();
}
/// Executes pending loops, then ends all sections.
inline void op_profile_end() {
  op2::compat::profile_end();
}
/// Prints the per-loop table and the sections; if OP_PROFILE_JSON_OUTPUT names a file, writes that
/// too. Collective while the library is initialised.
inline void op_profile_output() {
  op2::compat::profile_output();
}
/// Writes the sections and the per-loop table to a JSON file. Collective as above.
/// @param path  empty: the value of OP_PROFILE_JSON_OUTPUT, else op_profile.json
inline void op_profile_output_json(const std::string& path = "") {
  op2::compat::profile_output_json(path.c_str());
}
