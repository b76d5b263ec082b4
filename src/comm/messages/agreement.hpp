// SPDX-License-Identifier: BSD-3-Clause
// Turns errors of one rank into errors of all, so that no rank waits for one that has failed.
#pragma once

#include <new>
#include <optional>
#include <string>

#include <comm/messages/communicator.hpp>
#include <core/error.hpp>

namespace op2::comm {

/// Throws on all ranks if any of them has an error: each its own, the others one of the same code
/// that names the rank. Collective. Cost: one reduction.
void throw_together(Communicator& communicator, const std::optional<Error>& mine);

struct ErrorOfRank {
  ErrorCode code;
  std::string text;  ///< without the code
};

/// The error of one rank, on all. Collective. Cost: a broadcast.
/// @param mine  that of this rank; must be there on `rank`
ErrorOfRank broadcast_error(Communicator& communicator, const std::optional<Error>& mine, int rank);

/// The error that `action` throws, if any. Local.
/// @param what  the operation, for messages of other exceptions than the library's
template <class Action>
std::optional<Error> error_of(const std::string& what, const Action& action) {
  try {
    action();
    return {};
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return Error(ErrorCode::out_of_memory,
                 "out of memory: " + what + "; use more machines or a smaller mesh");
  } catch (const std::exception& error) {
    return Error(ErrorCode::internal,
                 "unexpected exception: " + what + ", " + error.what() + "; please report it");
  }
}

/// Runs an action on every rank; if one fails, all throw. Collective.
template <class Action>
void do_together(Communicator& communicator, const std::string& what, const Action& action) {
  throw_together(communicator, error_of(what, action));
}

/// The same on the root alone.
template <class Action>
void do_on_root(Communicator& communicator, const std::string& what, const Action& action) {
  throw_together(communicator,
                 communicator.is_root() ? error_of(what, action) : std::optional<Error>());
}

}  // namespace op2::comm
