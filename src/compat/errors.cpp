// SPDX-License-Identifier: BSD-3-Clause
#include <compat/errors.hpp>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>

#include <op2/compat/op2_functions.h>

#include <api/session.hpp>
#include <compat/types.hpp>
#include <core/error.hpp>

namespace op2::compat {

namespace {

void flush_output() {
  std::cout.flush();
  std::fflush(nullptr);
}

}  // namespace

void end_program(const Error& error) {
  flush_output();
  api::end_job(error);
  flush_output();  // of the handler
  // Without destructors: threads of the library may be loading or compiling.
  _exit(EXIT_FAILURE);
}

void wrong_type(const char* what, const char* name, const char* type, const char* file, int line) {
  guarded([&] {
    const std::string named = name == nullptr ? "" : fmt::format(" '{}'", name);
    const std::string place = fmt::format("{}{} ({}:{})", what, named, file, line);
    type_of(place, type);
    core::fail(ErrorCode::bad_type,
               "wrong type: {}, the values are not of type \"{}\"; pass the type of the values",
               place, type);
  });
}
bool differs(const char* type, const char* name) {
  const std::string_view one = core::without_soa(shown(type)),
                         other = core::without_soa(shown(name));
  const auto named = type_named(one);
  return one != other && (!named || named != type_named(other));
}

void not_supported(const char* function, const char* instead) {
  guarded(
      [&] { core::fail(ErrorCode::not_supported, "not supported: {}, {}", function, instead); });
  __builtin_unreachable();
}

}  // namespace op2::compat
