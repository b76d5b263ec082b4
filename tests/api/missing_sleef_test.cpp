// SPDX-License-Identifier: BSD-3-Clause
// OP2_REPRODUCIBLE=on where libsleef cannot be loaded: only kernels that need it are errors. The
// program starts itself again with a search path that has a damaged library of that name.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <op2/op2.hpp>
#include <support/expect_error.hpp>
#include <support/temporary_directory.hpp>

namespace op2 {
namespace {

using testing::AllOf;
using testing::HasSubstr;

OP_KERNEL(grow, (double* x), { *x = exp(*x); });
OP_KERNEL(take_root, (double* x), { *x = sqrt(*x) + floor(*x); });

struct MissingSleef : testing::Test {
  op_dat x;

  void begin(const char* mode) {
    setenv("OP2_REPRODUCIBLE", mode, 1);
    op_init(0, nullptr, 0);
    const op_set cells = op_decl_set(100, "cells");
    x = op_decl_dat(cells, 1, std::vector<double>(100, 4.0), "x");
  }
  ~MissingSleef() override { op_exit(); }

  double first() const {
    std::vector<double> values(100);
    op_fetch_data(x, values);
    return values.front();
  }
};

TEST_F(MissingSleef, IsAnErrorWhereAKernelNeedsIt) {
  ASSERT_EQ(dlopen("libsleef.so.3", RTLD_NOW), nullptr);
  begin("on");
  op_par_loop(grow, "grow it", x->set, op_arg_dat(x, OP_RW));
  EXPECT_THAT(
      test::error_text(ErrorCode::link_failure, [] { op_flush(); }),
      AllOf(HasSubstr("loop 'grow it'"), HasSubstr("missing_sleef_test.cpp"), HasSubstr("'exp'"),
            HasSubstr("libsleef.so.3"), HasSubstr("file too short"), HasSubstr("; install")));
}

TEST_F(MissingSleef, DoesNotMatterToOtherKernels) {
  begin("on");
  op_par_loop(take_root, "take_root", x->set, op_arg_dat(x, OP_RW));
  EXPECT_EQ(first(), 6.0);
}

TEST_F(MissingSleef, DoesNotMatterToOtherSessions) {
  begin("off");
  op_par_loop(grow, "grow it", x->set, op_arg_dat(x, OP_RW));
  EXPECT_DOUBLE_EQ(first(), std::exp(4.0));
}

}  // namespace
}  // namespace op2

int main(int argc, char** argv) {
  constexpr const char* mark = "TEST_DAMAGED_SLEEF";
  if (std::getenv(mark) == nullptr) {
    const op2::test::TemporaryDirectory folder;
    std::ofstream(folder / "libsleef.so.3").close();
    const char* before = std::getenv("LD_LIBRARY_PATH");
    setenv("LD_LIBRARY_PATH",
           (folder.path().string() + (before != nullptr ? std::string(":") + before : "")).c_str(),
           1);
    setenv(mark, "yes", 1);
    std::string command = "exec";
    for (int k = 0; k < argc; ++k) command += std::string(" '") + argv[k] + "'";
    return std::system(command.c_str()) == 0 ? 0 : 1;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
