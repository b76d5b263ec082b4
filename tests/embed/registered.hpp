// SPDX-License-Identifier: BSD-3-Clause
// Stands in for the part of the library that keeps the kernels of a program.
#pragma once

#include <vector>

#include <op2/compat/op2_embedded.h>

namespace op2::test {

/// Tables that are registered now.
struct Table {
  const embedded::Kernel* kernels;
  int count;
};
std::vector<Table>& tables();

/// All kernels of the unit whose name ends with `file`.
std::vector<embedded::Kernel> kernels_of(const char* file);

}  // namespace op2::test
