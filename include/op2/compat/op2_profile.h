// SPDX-License-Identifier: BSD-3-Clause
// Sections of a program, nested and with wall clock times, in a namespace of its own; op_profile.h
// gives the functions OP2's names. C++11.
#pragma once

#include "../handles.h"

namespace op2 {
namespace compat {

/// Begins a section inside the one that is open, or at the outside. Local.
OP2_API void profile_enter(const char* name);
/// Ends the section that was begun last, if there is one. Local.
OP2_API void profile_exit();
/// Ends the section that was begun last, unless it is the outermost, and begins another. Local.
OP2_API void profile_next(const char* name);
/// Executes what is queued, then ends all sections. Collective while the library is running.
OP2_API void profile_end();
/// Prints the per-loop table and the sections. Collective while the library is running; the times
/// are the greatest of all ranks then, else of this one. If OP_PROFILE_JSON_OUTPUT names a file,
/// that is written too.
OP2_API void profile_output();
/// Writes the sections and the per-loop table into a file as JSON. Collective as above.
/// @param path  null or empty: what OP_PROFILE_JSON_OUTPUT says, or op_profile.json
OP2_API void profile_output_json(const char* path);

}  // namespace compat
}  // namespace op2
