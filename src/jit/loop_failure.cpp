// SPDX-License-Identifier: BSD-3-Clause
#include <jit/loop_failure.hpp>

#include <exception>
#include <new>

#include <fmt/core.h>

namespace op2::jit {
namespace {

Built failure(ErrorCode code, const LoopRequest& request, const char* reason,
              const char* what_to_do) {
  return {nullptr, Error(code, fmt::format("the code cannot be made: {}, {}; {}", where_is(request),
                                           reason, what_to_do))};
}

}  // namespace

Built caught(const LoopRequest& request) {
  try {
    throw;
  } catch (const Error& error) {
    return {nullptr, error};
  } catch (const std::bad_alloc& error) {
    return failure(ErrorCode::out_of_memory, request, error.what(),
                   "use more memory or fewer ranks on a machine");
  } catch (const std::exception& error) {
    return failure(ErrorCode::internal, request, error.what(), "please report it");
  }
}

}  // namespace op2::jit
