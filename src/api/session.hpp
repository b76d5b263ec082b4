// SPDX-License-Identifier: BSD-3-Clause
// Where the C-style functions find the running session.
#pragma once

#include <api/runtime.hpp>

namespace op2::api {

/// The running session.
/// @throws Error not_initialised, wrong_thread, wrong_process
Runtime& running();

/// The same for calls that need results or queue work.
/// @throws Error poisoned too
Runtime& usable();

/// The running session, or null. Never throws.
Runtime* session_or_null();

}  // namespace op2::api
