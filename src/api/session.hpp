// SPDX-License-Identifier: BSD-3-Clause
// Where the C-style functions find the running session.
#pragma once

#include <memory>
#include <span>
#include <string>

#include <api/runtime.hpp>
#include <comm/files/field.hpp>

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
/// @param find      `readable` to read it
/// @throws Error what `find` throws; bad_handle
const core::Dat& checked_dat(const char* function, op_dat dat,
                             Runtime& (*find)(const char* caller) = usable);

/// @throws Error bad_dim, bad_type, null_data
void check_constant(const char* name, int dim, const char* type, Type value_type,
                    const void* values);

/// The running session, or null. Never throws.
Runtime* session_or_null();

/// Ends the job after an error that the program cannot catch: `Runtime::end_job`, or what is
/// possible of that without a session. Returns unless the job is ended.
void end_job(const Error& error);

/// State that src/compat keeps for programs beyond a session, from before `op_init` until after
/// `op_exit`; null at first. Never throws.
std::shared_ptr<void>& compatibility_state();

/// The version, the compiler, and a line for each optional part: its version, or that it is
/// missing.
std::string version_text();

/// Paths of other libraries libop2 in this process, separated by commas: parts of the program were
/// built with other versions, which have their own sessions. Empty if there are none.
std::string other_versions();

/// A dat with all its values, on the root, in the declared order.
struct WholeDat {
  const core::Dat& dat;
  comm::Bytes storage;              ///< unused if the dat itself has the declared rows
  std::span<const std::byte> rows;  ///< empty on other ranks
  comm::Field field() const {
    return {dat.name_storage, dat.value_type, dat.dim, dat.on().global_size, rows.data()};
  }
};

/// Executes what is queued and collects. Collective. Memory: the whole dat on the root.
WholeDat whole_dat(Runtime& runtime, const core::Dat& dat);

}  // namespace op2::api
