// SPDX-License-Identifier: BSD-3-Clause
// Turns errors of one rank into errors of all, so that no rank waits for one that has failed.
#pragma once

#include <optional>
#include <string>

#include <comm/messages/communicator.hpp>
#include <core/error_of.hpp>

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

using core::error_of;

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
