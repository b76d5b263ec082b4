// SPDX-License-Identifier: BSD-3-Clause
// Errors in kernels that NVRTC refuses show the user's lines, also without the compiler of the CPU.
#include <deque>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <jit/loop_nest.hpp>
#include <jit/target/cuda/kernel_scope.hpp>
#include <nvrtc/nvrtc_of_tests.hpp>
#include <support/jit_options.hpp>
#include <support/loop_request.hpp>
#include <support/loop_shapes.hpp>
#include <support/temporary_directory.hpp>

namespace op2::jit {
namespace {

using test::dat;
using testing::AllOf;
using testing::HasSubstr;

/// The error of a loop with an argument that is read and one that is written.
struct Messages : test::WithNvrtc {
  test::TemporaryDirectory folder;
  core::Log log{core::LogLevel::off};
  std::vector<Constant> declared;
  std::string file = folder / "main.cpp";
  std::deque<op_kernel_core> kernels;
  std::vector<ArgShape> args = {dat(0, 1, OP_READ), dat(1, 1, OP_WRITE)};

  LoopRequest request(const char* source) {
    kernels.push_back({"work", source, file.c_str(), 1, false, nullptr, nullptr, nullptr, -1});
    return test::loop_request(kernels.back(), args, declared);
  }
  std::string error_of(const LoopRequest& request) {
    Jit jit(test::jit_options(folder.path(), [this] { return declared; }), log,
            [this] { return target_for("sm_90"); });
    const LoopCode outcome = jit.compile({{request}})[0];
    return outcome.error ? outcome.error->what() : "no error";
  }
  std::string error(const char* source) { return error_of(request(source)); }
};

TEST_F(Messages, AnErrorShowsTheLineInTheUsersFileWithACaret) {
  const char* source = "void work(const double* x, double* y) {\n  *y = speed * *x;\n}";
  std::ofstream(file) << "#include <op2.h>\n\nop_kernel k = \"\n" << source << "\";\n";
  EXPECT_THAT(error(source), AllOf(HasSubstr("OP2-E104"), HasSubstr(file + ":5:8: "),
                                   HasSubstr("identifier \"speed\" is undefined"),
                                   HasSubstr("\n  *y = speed * *x;\n       ^")));
}

TEST_F(Messages, AMisspelledConstantNamesTheDeclaredOnes) {
  double gam = 1.4;
  declared = {{"gam", Type::f64, 1, &gam}};
  EXPECT_THAT(error("void work(const double* x, double* y) { *y = gama * *x; }"),
              HasSubstr("declared constants: gam; did you mean 'gam'?"));
}

TEST_F(Messages, AConstantHasTheNameByWhichItIsFoundOnTheDevice) {
  double gam = 1.4;
  declared = {{"gam", Type::f64, 1, &gam}};
  const LoopRequest scale = request("void work(const double* x, double* y) { *y = gam * *x; }");
  const std::shared_ptr<Target> target = target_for("sm_90");
  EmittedLoop loop = target->emit(scale.nest);
  const std::string symbol =
      device_symbol(0, constant_symbol(scale.nest, constants_of(scale.nest).at(0)));
  EXPECT_THAT(target->compile(scale, loop).assembly, HasSubstr("[" + symbol + "]"));
}

TEST_F(Messages, AConstantThatAMacroNamesIsFound) {
  double gam = 1.4;
  declared = {{"gam", Type::f64, 1, &gam}};
  EXPECT_THAT(error("#define CONSTANT(x) ga##x\n"
                    "void work(const double* x, double* y) { *y = CONSTANT(m) * *x; }"),
              HasSubstr("there is no device to load it on"));
}

/// What the macros of a host leave in a source that is made from a program.
TEST_F(Messages, ANullPointerMayHaveItsNameOnTheHost) {
  EXPECT_THAT(
      error("void work(const double* x, double* y) {\n"
            "  const double* none = __null;\n"
            "  *y = x == __null || x == NULL ? 0 : *(true ? x : __null) + (none != __null);\n}"),
      HasSubstr("there is no device to load it on"));
}

TEST_F(Messages, AConstantIsNotModified) {
  double gam = 1.4;
  declared = {{"gam", Type::f64, 1, &gam}};
  EXPECT_THAT(error("void work(const double* x, double* y) { gam = *x; }"),
              AllOf(HasSubstr("OP2-E101"), HasSubstr("line 1")));
}

TEST_F(Messages, AnIncludedFileIsNamedAsItIsWritten) {
  std::ofstream(folder / "gas.h") << "\ndouble gas(double v) { return w; }\n";
  EXPECT_THAT(error("#include \"gas.h\"\nvoid work(const double* x, double* y) { *y = gas(*x); }"),
              HasSubstr(folder / "gas.h:2:31: "));
}

TEST_F(Messages, AMissingFileNamesTheFoldersThatWereSearched) {
  EXPECT_THAT(error("#include \"nope.h\"\nvoid work(const double* x, double* y) {}"),
              AllOf(HasSubstr("OP2-E103"), HasSubstr("folders searched for \"nope.h\": ")));
}

TEST_F(Messages, AHeaderThatKernelsCannotIncludeNamesThoseThatTheyCan) {
  EXPECT_THAT(error("#include <vector>\nvoid work(const double* x, double* y) {}"),
              AllOf(HasSubstr("OP2-E103"), HasSubstr("kernels can include <")));
}

TEST_F(Messages, AFunctionWithoutABodyIsNamed) {
  EXPECT_THAT(
      error("double other(double);\n"
            "void work(const double* x, double* y) { *y = other(*x); }"),
      AllOf(HasSubstr("OP2-E104"), HasSubstr("function 'other' is declared but not defined")));
}

TEST_F(Messages, AParameterMustPointToConstIfItIsRead) {
  EXPECT_THAT(
      error("void work(double* x, double* y) {}"),
      AllOf(HasSubstr("OP2-E102"),
            HasSubstr("kernel 'work': arg 0 (OP_READ, double x1) must be a pointer to const")));
}

TEST_F(Messages, AParameterMustHaveTheTypeOfTheArgument) {
  EXPECT_THAT(error("using real = float;\nvoid work(const double* x, real* y) {}"),
              HasSubstr("kernel 'work': arg 1 (OP_WRITE, double x1) must be a pointer to double"));
}

TEST_F(Messages, AKernelHasOneParameterForEachArgumentAndReturnsVoid) {
  EXPECT_THAT(error("void work(const double* x) {}"),
              HasSubstr("the loop has 2 arguments; a kernel has one pointer per argument"));
  EXPECT_THAT(error("static int work(const double* x, double* y) { return 1; }"),
              HasSubstr("kernel 'work': a kernel returns void"));
}

TEST_F(Messages, AKernelIsOnePlainFunctionAtFileScope) {
  for (const char* source : {"void wrok(const double* x, double* y) {}",
                             "namespace in { void work(const double* x, double* y) {} }",
                             "template <class T> void work(const T* x, T* y) {}",
                             "void work(double* x) {}\nvoid work(const double* x, double* y) {}"})
    EXPECT_THAT(error(source),
                AllOf(HasSubstr("OP2-E102"),
                      HasSubstr("the source must define one plain function 'work' at file scope")));
}

TEST_F(Messages, TheSecondOfFusedKernelsIsShownAtItsOwnPlace) {
  LoopRequest both = request("void work(const double* x, double* y) { *y = *x; }");
  const LoopRequest second = request("void work(const double* x, double* y) {\n  *y = v; }");
  both.nest.calls.push_back(second.nest.calls[0]);
  both.origins.push_back({.loop = "second", .call_site = "main.cpp:9", .kernel = &kernels.back()});
  EXPECT_THAT(error_of(both),
              AllOf(HasSubstr("loop 'second' (main.cpp:9)"), HasSubstr("kernel 'work' line 2")));
}

TEST_F(Messages, TooDeepTemplatesAreALimit) {
  EXPECT_THAT(error("template <int n> struct A { static constexpr int v = A<n - 1>::v; };\n"
                    "void work(const double* x, double* y) { *y = A<5000>::v; }"),
              HasSubstr("OP2-E105"));
}

}  // namespace
}  // namespace op2::jit
