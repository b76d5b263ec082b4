// SPDX-License-Identifier: BSD-3-Clause
// What an OP_KERNEL finds without an #include: the library for kernels, and the program's types,
// constants and functions in the file that OP2_KERNEL_HEADER names.
#include <array>
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include <gmock/gmock.h>

#include <op2/op2.hpp>
#include <support/expect_error.hpp>
#include <support/stderr_capture.hpp>
#include <support/temporary_directory.hpp>

#define OP2_KERNEL_HEADER "../support/kernel_header.h"
#include OP2_KERNEL_HEADER

namespace op2 {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

OP_KERNEL(use_header, (const double* x, double* y), {
  const flow::State state{2, x[0]};
  const flow::Side side = x[0] < 3 ? flow::Side::left : flow::Side::right;
  y[0] = flow::speed(state) + flow::limit * (side == flow::Side::right);
});
OP_KERNEL(use_header_too, (double* y), { y[0] += flow::limit; });

#undef OP2_KERNEL_HEADER

OP_KERNEL(use_library, (const double* x, double* y), {
  assert(x[0] >= 0);
  if (x[0] > 1e6) printf("large: %g\n", x[0]);
  std::array<double, 3> t{x[0], 1, 2};
  const std::complex<double> z(t[1], t[2]);
  int words[2] = {0, 0};
  std::memset(words, 0, sizeof words);
  y[0] = std::accumulate(t.begin(), t.end(), 0.0) + std::numbers::pi * std::norm(z) +
         std::numeric_limits<double>::epsilon() + DBL_EPSILON + (words[0] == INT_MAX);
});
OP_KERNEL(call_program, (double* y), { y[0] = flow::limit; });

struct KernelHeaders : testing::Test {
  static constexpr int size = 7;
  test::TemporaryDirectory folder;
  test::StderrCapture captured;
  op_set points;
  op_dat x, y;

  KernelHeaders() {
    setenv("OP2_CACHE_DIR", folder.path().c_str(), 1);
    setenv("OP2_LOG", "warning", 1);
    start();
  }
  ~KernelHeaders() override {
    op_exit();
    for (const char* name : {"OP2_CACHE_DIR", "OP2_LOG"}) unsetenv(name);
  }
  void start() {
    op_init(0, nullptr, 0);
    points = op_decl_set(size, "points");
    std::vector<double> values(size);
    std::iota(values.begin(), values.end(), 0.0);
    x = op_decl_dat(points, 1, values, "x");
    y = op_decl_dat<double>(points, 1, nullptr, "y");
  }
  void restart() {
    op_exit();
    captured.news();
    start();
  }
  std::vector<double> values_of_y() {
    std::vector<double> values(size);
    op_fetch_data(y, values);
    return values;
  }
  template <class K>
  void run(const K& kernel) {
    op_par_loop(kernel, "loop", points, op_arg_dat(x, OP_READ), op_arg_dat(y, OP_RW));
    op_flush();
  }
  void write(const fs::path& name, const char* text) { std::ofstream(name) << text; }
};

void set_to_width(const double*, double* y) {
  y[0] = -1;  // in the program; the source has the value of the header
}
/// As OP_KERNEL makes it.
std::string source_with(const std::string& header) {
  return "#include <op2_library>\n#include \"" + header +
         "\"\n#line 1\nvoid width(const double* x, double* y) { y[0] = WIDTH; }";
}

TEST_F(KernelHeaders, AnOpKernelUsesTheWholeLibrary) {
  run(use_library);
  EXPECT_THAT(captured.news(), IsEmpty());
  EXPECT_EQ(op_get_jit_statistics().compiled, 1);
  const std::vector<double> values = values_of_y();
  for (int k = 0; k < size; ++k) {
    double point = k, expected = 0;
    use_library_host(&point, &expected);
    EXPECT_DOUBLE_EQ(values[k], expected);
  }
}

TEST_F(KernelHeaders, KernelsShareTypesConstantsAndFunctionsOfAHeader) {
  run(use_header);
  op_par_loop(use_header_too, "too", points, op_arg_dat(y, OP_RW));
  op_flush();
  EXPECT_THAT(captured.news(), IsEmpty());
  EXPECT_GE(op_get_jit_statistics().compiled, 1);
  const std::vector<double> values = values_of_y();
  for (int k = 0; k < size; ++k) {
    double point = k, expected = 0;
    use_header_host(&point, &expected);
    use_header_too_host(&expected);
    EXPECT_DOUBLE_EQ(values[k], expected);
  }
}

TEST_F(KernelHeaders, AnEditedHeaderIsCompiledAnew) {
  const std::string file = folder / "flow.cpp";
  const std::string source = source_with("width.h");
  const TypedKernel kernel("width", source.c_str(), &set_to_width, file.c_str(), 1);
  for (const auto& [text, width] :
       {std::pair("#define WIDTH 3.0\n", 3), {"#define WIDTH 4.0\n", 4}}) {
    write(folder / "width.h", text);
    run(kernel);
    EXPECT_THAT(values_of_y(), testing::Each(width));
    EXPECT_EQ(op_get_jit_statistics().compiled, 1);
    restart();
  }
}

TEST_F(KernelHeaders, AHeaderThatIsMissingIsAnErrorThatNamesItAndTheFolder) {
  const std::string file = folder / "flow.cpp";
  const std::string source = source_with("width.h");
  const TypedKernel kernel("width", source.c_str(), &set_to_width, file.c_str(), 12);
  EXPECT_THAT(test::error_text(ErrorCode::kernel_include, [&] { run(kernel); }),
              AllOf(HasSubstr(file + ":12"), HasSubstr("'width.h' file not found"),
                    HasSubstr("folders searched for \"width.h\": " + folder.path().string())));
}

TEST_F(KernelHeaders, WithARelativeNameOfTheFileTheFolderOfTheProgramIsSearchedToo) {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path();
  const std::string name = "width_of_test_" + std::to_string(::getpid()) + ".h";
  write(program / name, "#define WIDTH 5.0\n");
  const std::string source = source_with(name);
  const TypedKernel kernel("width", source.c_str(), &set_to_width, "flow.cpp", 1);
  run(kernel);
  EXPECT_THAT(values_of_y(), testing::Each(5));
  fs::remove(program / name);
}

TEST_F(KernelHeaders, WhatOnlyTheProgramSeesGetsARemedyThatCanBeFollowed) {
  op_par_loop(call_program, "loop", points, op_arg_dat(y, OP_WRITE));
  op_flush();
  EXPECT_THAT(captured.news(), HasSubstr("in a header that OP2_KERNEL_HEADER names"));
}

TEST_F(KernelHeaders, AConstantIndexBeyondALocalArrayIsAWarningAtItsLine) {
  const std::string file = folder / "flow.cpp";
  write(file,
        "OP_KERNEL(width, (const double* x, double* y), {\n  double t[3] = {x[0], 1, 2};\n"
        "  y[0] = t[3];\n});\n");
  const std::string source =
      "#include <op2_library>\n#line 1\nvoid width(const double* x, double* y) { double t[3] = "
      "{x[0], 1, 2}; y[0] = t[3]; }";
  const TypedKernel kernel("width", source.c_str(), &set_to_width, file.c_str(), 1);
  run(kernel);
  EXPECT_THAT(captured.news(),
              HasSubstr(file + ":3:10: warning: array index 3 is past the end of the array"));
}

TEST_F(KernelHeaders, LoopsOfHostFunctionsAreNamedAtTheEndWithTheirShareOfTheTime) {
  op_par_loop(call_program, "slow", points, op_arg_dat(y, OP_WRITE));
  op_flush();
  captured.news();
  op_exit();
  EXPECT_THAT(captured.news(),
              AllOf(HasSubstr("host functions on one thread took 100.0 % of the time of all loops"),
                    HasSubstr("'slow' (100.0 %)")));
}

}  // namespace
}  // namespace op2
