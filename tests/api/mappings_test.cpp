// SPDX-License-Identifier: BSD-3-Clause
// No memory of a process that has compiled and linked kernels is writable and executable.
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <op2/op2.hpp>

namespace {

/// Lines of /proc/self/maps whose flags have both, whatever is mapped there.
std::vector<std::string> writable_and_executable() {
  std::vector<std::string> found;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::string flags = line.substr(line.find(' ') + 1, 4);
    if (flags.find('w') != flags.npos && flags.find('x') != flags.npos) found.push_back(line);
  }
  return found;
}

TEST(Mappings, NothingIsWritableAndExecutableAfterKernelsWereCompiledAndLinked) {
  setenv("OP2_JIT", "require", 1);
  setenv("OP2_CACHE", "off", 1);
  op_init(0, nullptr);
  const op_set cells = op_decl_set(1000, "cells");
  const op_dat x = op_decl_dat<double>(cells, 1, nullptr, "x");
  const double gain = 3;
  op_decl_const(1, &gain, "gain");
  for (const char* body : {"*x += gain;", "*x = exp(*x) * gain;", "*x = *x > 1 ? gain : *x;"}) {
    const std::string source = std::string("void work(double* x) { ") + body + " }";
    op_par_loop(op_decl_kernel("work", source.c_str()), "work", cells, op_arg_dat(x, OP_RW));
    op_flush();
    EXPECT_EQ(writable_and_executable(), std::vector<std::string>());
  }
  EXPECT_EQ(op_get_jit_statistics().compiled, 3);
  op_exit();
}

}  // namespace
