// SPDX-License-Identifier: BSD-3-Clause
// Turns errors of one rank into errors of all, so that no rank waits for one that has failed.
//
// `do_together` is for actions that call nothing collective: reading and writing files, taking
// memory, checking what a rank was given. What calls a collective needs nothing: it throws on all
// ranks. `throw_together` is for an error that has come earlier, where the others had to go on.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <core/error.hpp>

namespace op2::comm {

/// Throws on all ranks if any of them has an error: each its own, the others one of the same code
/// that names the rank. Collective. Cost: one reduction.
void throw_together(Communicator& communicator, const std::optional<Error>& mine);

/// Sets every flag that any rank has set. Collective; every rank has as many flags.
/// @param what  they mean, as for Communicator::reduce
inline void combine_flags(std::vector<char>& flags, Communicator& communicator,
                          std::string_view what) {
  if (flags.empty()) return;
  WordReduction any{{}, {}, {flags.begin(), flags.end()}};
  communicator.reduce(any, what);
  for (std::size_t k = 0; k < flags.size(); ++k) flags[k] = any.maxima[k] != 0 ? 1 : 0;
}

/// The error of one rank, on all. Collective. Cost: a broadcast.
/// @param mine  that of this rank; must be there on `rank`
Error broadcast_error(Communicator& communicator, const std::optional<Error>& mine, int rank);

/// Throws it on all: there itself, on the others one of the same code that names the rank.
/// Collective. Cost: a broadcast.
[[noreturn]] void throw_error_of(Communicator& communicator, const std::optional<Error>& mine,
                                 int rank);

using core::error_of;

/// Runs an action on the ranks that take part in it; if it fails on one, all throw. Collective.
/// Cost: one reduction.
/// @param what  is done, for messages about exceptions that are not an Error
template <class Action>
void do_together(Communicator& communicator, const std::string& what, bool takes_part,
                 const Action& action) {
  throw_together(communicator, takes_part ? error_of(what, action) : std::optional<Error>());
}

/// The same on every rank.
template <class Action>
void do_together(Communicator& communicator, const std::string& what, const Action& action) {
  do_together(communicator, what, true, action);
}

}  // namespace op2::comm
