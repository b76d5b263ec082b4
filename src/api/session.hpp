// SPDX-License-Identifier: BSD-3-Clause
// Where the C-style functions find the running session.
#pragma once

#include <memory>

#include <api/runtime.hpp>

namespace op2::api {

/// The running session.
/// @param caller  for messages, if it begins with "op_"
/// @throws Error not_initialised, wrong_thread, wrong_process
Runtime& running(const char* caller = __builtin_FUNCTION());

/// The same for calls that need results or queue work.
/// @throws Error poisoned too
Runtime& usable(const char* caller = __builtin_FUNCTION());

/// The same for calls that only read dats and globals, as far as these have values after an error.
/// @throws Error poisoned too
Runtime& readable(const char* caller = __builtin_FUNCTION());

/// The record of a dat of the running session.
/// @param function  that asks, for messages
/// @throws Error what `usable` throws; bad_handle
const core::Dat& checked_dat(const char* function, op_dat dat);
/// The same to read it. @throws Error what `readable` throws; bad_handle
const core::Dat& readable_dat(const char* function, op_dat dat);

/// The running session, or null. Never throws.
Runtime* session_or_null();

/// Ends the job after an error that the program cannot catch: `Runtime::end_job`, or what is
/// possible of that without a session. Returns unless the job is ended.
void end_job(const Error& error);

/// State that src/compat keeps for programs beyond a session, from before `op_init` until after
/// `op_exit`; null at first. Never throws.
std::shared_ptr<void>& compatibility_state();

}  // namespace op2::api
