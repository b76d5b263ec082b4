// SPDX-License-Identifier: BSD-3-Clause
// Errors of one rank that become errors of all, so that nobody waits for a rank that has given up.
#pragma once

#include <new>
#include <optional>
#include <string>

#include <comm/messages/communicator.hpp>
#include <core/error.hpp>

namespace op2::comm {

/// Throws on all ranks if any of them has an error: the own one, or one of the same code that names
/// the rank. Collective. Cost: one reduction.
void throw_together(Communicator& communicator, const std::optional<Error>& mine);

/// What `action` throws, if anything. Local.
/// @param what  what was being done, for an error that is not one of the library
template <class Action>
std::optional<Error> error_of(const std::string& what, const Action& action) {
  try {
    action();
    return {};
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return Error(ErrorCode::out_of_memory, what + ": the memory is exhausted");
  } catch (const std::exception& error) {
    return Error(ErrorCode::internal, what + ": " + error.what());
  }
}

}  // namespace op2::comm
