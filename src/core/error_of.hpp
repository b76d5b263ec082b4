// SPDX-License-Identifier: BSD-3-Clause
// Errors as values.
#pragma once

#include <new>
#include <optional>
#include <string>

#include <core/error.hpp>

namespace op2::core {

/// The error that `action` throws, if any.
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

}  // namespace op2::core
