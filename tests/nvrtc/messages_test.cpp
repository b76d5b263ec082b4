// SPDX-License-Identifier: BSD-3-Clause
// Errors in kernels that NVRTC refuses show the user's lines, as those of the CPU's compiler do.
#include <deque>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <jit/constant_symbols.hpp>
#include <jit/target/cuda/device_constants.hpp>
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
    const Outcome outcome = jit.get({{request}})[0];
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

TEST_F(Messages, AnOpenBracketIsShownWhereItIsOpened) {
  EXPECT_THAT(error("void work(const double* x, double* y) {\n  if (*x > 0) {\n}"),
              HasSubstr("the source ends inside the '{' that is opened here"));
}

TEST_F(Messages, AFunctionWithoutABodyIsNamed) {
  EXPECT_THAT(
      error("double other(double);\n"
            "void work(const double* x, double* y) { *y = other(*x); }"),
      AllOf(HasSubstr("OP2-E104"), HasSubstr("function 'other' is declared but not defined")));
}

TEST_F(Messages, AMacroMustNotBeAKeyword) {
  EXPECT_THAT(error("#define double float\nvoid work(const double* x, double* y) {}"),
              HasSubstr("line 1: 'double' is a keyword; a kernel's source must not define"));
}

TEST_F(Messages, AParameterMustPointToConstIfItIsRead) {
  EXPECT_THAT(
      error("void work(double* x, double* y) {}"),
      AllOf(HasSubstr("OP2-E102"),
            HasSubstr("arg 0 (OP_READ, double x1): parameter 'double *x' must be a pointer to "
                      "const; write 'const double *x'"),
            HasSubstr("declared here\nvoid work(double* x, double* y) {}\n                  ^")));
}

TEST_F(Messages, AParameterMustHaveTheTypeOfTheArgument) {
  EXPECT_THAT(error("using real = float;\nvoid work(const double* x, real* y) {}"),
              HasSubstr("arg 1 (OP_WRITE, double x1): parameter 'real *y' must be a pointer to "
                        "double; write 'double *y'"));
}

TEST_F(Messages, AKernelHasOneParameterForEachArgument) {
  EXPECT_THAT(error("void work(const double* x) {}"),
              HasSubstr("kernel 'work(const double *x)' has 1 parameter, but the loop has 2 "
                        "arguments; a kernel has one pointer per argument"));
}

TEST_F(Messages, AKernelReturnsVoid) {
  EXPECT_THAT(error("static int work(const double* x, double* y) { return 1; }"),
              HasSubstr("kernel 'work' returns 'int', but a kernel returns void"));
}

TEST_F(Messages, AKernelThatIsNotDefinedIsMissed) {
  EXPECT_THAT(error("void wrok(const double* x, double* y) {}"),
              HasSubstr("the source does not define a function 'work'; it defines 'wrok'"));
  EXPECT_THAT(error("namespace in { void work(const double* x, double* y) {} }"),
              HasSubstr("kernel 'work' is in namespace 'in'; it must be at file scope"));
  EXPECT_THAT(error("template <class T> void work(const T* x, T* y) {}"),
              HasSubstr("kernel 'work' is a template; it must be a plain function"));
}

TEST_F(Messages, AKernelIsNotOverloaded) {
  EXPECT_THAT(error("void work(double* x) {}\nvoid work(const double* x, double* y) {}"),
              HasSubstr("kernel 'work' is overloaded; rename all functions of that name but one"));
}

TEST_F(Messages, TheSecondOfFusedKernelsIsShownAtItsOwnPlace) {
  LoopRequest both = request("void work(const double* x, double* y) { *y = *x; }");
  const LoopRequest second = request("void work(const double* x, double* y) {\n  *y = v; }");
  both.nest.calls.push_back(second.nest.calls[0]);
  both.origins.push_back({.loop = "second", .call_site = "main.cpp:9", .kernel = &kernels.back()});
  EXPECT_THAT(error_of(both),
              AllOf(HasSubstr("loop 'second' (main.cpp:9)"), HasSubstr("kernel 'work' line 2")));
}

TEST_F(Messages, AConstantIsNotDefinedByTheSourceToo) {
  double gam = 1.4;
  declared = {{"gam", Type::f64, 1, &gam}};
  EXPECT_THAT(
      error("double gam = 2;\nvoid work(const double* x, double* y) { *y = gam; }"),
      HasSubstr("it defines 'gam', but op_decl_const declares a constant of that name too"));
}

/// Also where the assembler finds it, which does not know the source.
TEST_F(Messages, AssemblyOfACpuIsShownWhereItIs) {
  const std::string kernel =
      "void work(const double* x, double* y) {\n  asm(\"movq %rax, %rbx\");\n}";
  EXPECT_THAT(error(kernel.c_str()),
              AllOf(HasSubstr("line 2"), HasSubstr("inline assembly: it is for one kind")));
  EXPECT_THAT(error(("#ifndef GPU\n" + kernel + "\n#endif").c_str()),
              AllOf(HasSubstr("line 3"), HasSubstr("inline assembly: it is for one kind")));
  EXPECT_THAT(error(("#ifdef CPU\n" + kernel +
                     "\n#else\n"
                     "void work(const double* x, double* y) {}\n#endif")
                        .c_str()),
              HasSubstr("there is no device to load it on"));
}

TEST_F(Messages, TooDeepTemplatesAreALimit) {
  EXPECT_THAT(error("template <int n> struct A { static constexpr int v = A<n - 1>::v; };\n"
                    "void work(const double* x, double* y) { *y = A<5000>::v; }"),
              HasSubstr("OP2-E105"));
}

}  // namespace
}  // namespace op2::jit
