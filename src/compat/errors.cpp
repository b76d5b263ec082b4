// SPDX-License-Identifier: BSD-3-Clause
#include <compat/errors.hpp>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>

#include <op2/compat/op2_functions.h>

#include <compat/types.hpp>
#include <core/error.hpp>
#include <core/log.hpp>

namespace op2::compat {

void end_program(const Error& error) {
  core::Log(core::LogLevel::error).error(error.what());
  // Without destructors: threads of the library may be loading or compiling.
  std::cout.flush();
  std::fflush(nullptr);
  _exit(EXIT_FAILURE);
}

void wrong_type(const char* what, const char* name, const char* type) {
  guarded([&] {
    core::fail(ErrorCode::bad_type, "{} '{}': its values are not of type \"{}\"", what, name,
               type == nullptr ? "" : type);
  });
}
bool differs(const char* type, const char* name) {
  return without_soa(type == nullptr ? "" : type) != name;
}

void not_supported(const char* function, const char* instead) {
  guarded([&] { core::fail(ErrorCode::not_supported, "{}: {}", function, instead); });
  __builtin_unreachable();
}

}  // namespace op2::compat
