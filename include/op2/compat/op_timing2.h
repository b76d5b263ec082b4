// SPDX-License-Identifier: BSD-3-Clause
// The older names of op_profile.h, for the same sections.
#pragma once

#include <cstdlib>

#include "op_profile.h"

typedef op2::compat::profiler op_timing2;  ///< an older name of OP2

/// Begins the measurement: the outermost section.
inline void op_timing2_start(const char* name) {
  op2::compat::profile_enter(name);
}
/// Begins a section inside the open one. Local.
inline void op_timing2_enter(const char* name) {
  op2::compat::profile_enter(name);
}
/// The same for a kernel. Local.
/// @param target, variant  shown in parentheses after the kernel's name
inline void op_timing2_enter_kernel(const char* name, const char* target, const char* variant) {
  op_timing2::instance().enter_kernel(name, target, variant);
}
/// Ends the innermost section, unless it is the outermost, and begins another. Local.
inline void op_timing2_next(const char* name) {
  op2::compat::profile_next(name);
}
/// Ends the innermost open section. Local.
inline void op_timing2_exit() {
  op2::compat::profile_exit();
}
/// Executes pending loops, then ends all sections.
inline void op_timing2_finish() {
  op2::compat::profile_end();
}
/// Prints the report; if OP_TIMING2_JSON_OUTPUT names a file, writes that too.
inline void op_timing2_output() {
  op2::compat::profile_output();
  const char* const path = ::secure_getenv("OP_TIMING2_JSON_OUTPUT");
  if (path != NULL && *path != '\0') op2::compat::profile_output_json(path);
}
/// Writes the sections and the per-loop table to a JSON file.
/// @param path  null or empty: the value of OP_PROFILE_JSON_OUTPUT, else op_profile.json
inline void op_timing2_output_json(const char* path) {
  op2::compat::profile_output_json(path);
}
