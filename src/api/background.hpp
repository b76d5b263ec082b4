// SPDX-License-Identifier: BSD-3-Clause
// The results of a session that its threads write (OP2_ASYNC_IO); without it nothing happens.
#pragma once

#include <api/runtime.hpp>

namespace op2::api {

/// Starts the thread for OP2_ASYNC_IO, if it is set. Collective.
/// @throws Error out_of_memory, on all ranks, if the system refuses a thread on one
void begin_background(Runtime& runtime);

/// Throws if results that earlier calls left to the background could not be written. To be called
/// first. Collective.
void look_at_background(Runtime& runtime);

/// The same; returns when all of them are written. Collective.
/// @param call  that waits for them, as the collective signature
void finish_background(Runtime& runtime, const char* call);

/// The same at the end of a session, also after an error. If the ranks cannot agree any more, each
/// writes its files, but nothing names them: a warning and an error.
void end_background(Runtime& runtime);

/// Warns if the background is not finished. Local.
void report_unfinished_results(Runtime& runtime);

}  // namespace op2::api
