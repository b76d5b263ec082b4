// SPDX-License-Identifier: BSD-3-Clause
// Profile of a program: nested sections with wall clock times, in a separate namespace;
// op_profile.h provides the functions under OP2's names. C++11.
#pragma once

#include "../handles.h"

namespace op2 {
namespace compat {

/// Begins a section inside the open one, or an outermost section. Local.
OP2_API void profile_enter(const char* name);
/// Ends the innermost open section, if there is one. Local.
OP2_API void profile_exit();
/// Ends the innermost open section, unless it is the outermost, and begins another. Local.
OP2_API void profile_next(const char* name);
/// Executes pending loops, then ends all sections. Collective while the library is initialised.
OP2_API void profile_end();
/// Prints the per-loop table and the sections. While the library is initialised it is collective
/// and times are maxima over the ranks, otherwise times of this rank. If OP_PROFILE_JSON_OUTPUT
/// names a file, writes that too.
OP2_API void profile_output();
/// Writes the sections and the per-loop table to a JSON file. Collective as above.
/// @param path  null or empty: the value of OP_PROFILE_JSON_OUTPUT, else op_profile.json
OP2_API void profile_output_json(const char* path);

}  // namespace compat
}  // namespace op2
