// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdlib>

namespace op2::test {

/// Sets an environment variable for the life of the object.
struct Variable {
  Variable(const char* variable, const char* value) : name(variable) { setenv(variable, value, 1); }
  ~Variable() { unsetenv(name); }
  const char* name;
};

}  // namespace op2::test
