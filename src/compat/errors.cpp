// SPDX-License-Identifier: BSD-3-Clause
#include <compat/errors.hpp>

#include <cstdlib>

#include <core/log.hpp>

namespace op2::compat {

void end_program(const Error& error) {
  core::Log(core::LogLevel::error).error(error.what());
  std::exit(EXIT_FAILURE);
}

}  // namespace op2::compat
