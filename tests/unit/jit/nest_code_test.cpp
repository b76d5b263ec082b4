// SPDX-License-Identifier: BSD-3-Clause
// Several kernels in one loop, with the real compiler: each means what it means alone.
#include <deque>
#include <filesystem>
#include <fstream>
#include <numeric>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <jit/jit.hpp>
#include <jit/target/cpu/cpu_target.hpp>
#include <support/jit_options.hpp>
#include <support/loop_request.hpp>
#include <support/loop_shapes.hpp>
#include <support/temporary_directory.hpp>

namespace op2::jit {
namespace {

using core::ArgBinding;
using test::dat;
using test::global;
using test::off;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr int count = 19;  // not a multiple of any width

/// Kernels that are called one after the other with the nest's arguments.
struct NestCode : testing::Test {
  test::TemporaryDirectory folder;
  core::Log log{core::LogLevel::off};
  std::vector<Constant> declared;
  std::string file = folder / "main.cpp";
  std::vector<std::string> sources;
  std::deque<op_kernel_core> kernels;
  std::unique_ptr<Jit> jit =
      std::make_unique<Jit>(test::jit_options(folder.path(), [this] { return declared; }), log);
  LoopRequest request;

  /// A kernel named `name` in the line of the file that has the number of the call, times 10.
  void add(const char* name, const char* source, std::vector<CallArg> args) {
    const int line = 10 * static_cast<int>(kernels.size() + 1);
    kernels.push_back({name, source, file.c_str(), line, false, nullptr, nullptr, nullptr, -1});
    request.nest.calls.push_back(call_of(kernels.back(), declared));
    request.nest.calls.back().args = std::move(args);
    request.origins.push_back({.loop = std::string("loop_") + name,
                               .call_site = fmt::format("main.cpp:{}", line),
                               .kernel = &kernels.back()});
  }
  LoopCode get(std::vector<ArgShape> args) {
    request.nest.args = std::move(args);
    return jit->compile({{request}})[0];
  }
  void run(std::vector<ArgShape> args, const std::vector<ArgBinding>& bindings) {
    const LoopCode outcome = get(std::move(args));
    if (outcome.error) FAIL() << outcome.error->what();
    range_of (*outcome.code)(0, count, bindings.data());
  }
  /// What two kernels make of the numbers 1, 2, ..., the first from x to y, the second in y.
  std::vector<double> results(const char* first, const char* second) {
    add("first", first, {{0, OP_READ}, {1, OP_WRITE}});
    add("second", second, {{1, OP_RW}});
    std::vector<double> x(count), y(count);
    std::iota(x.begin(), x.end(), 1.0);
    run({dat(0, 1, OP_READ), dat(1, 1, OP_WRITE)},
        {{x.data(), nullptr, 0}, {y.data(), nullptr, 0}});
    return y;
  }
  std::string error() {
    const LoopCode outcome = get({dat(0, 1, OP_READ), dat(1, 1, OP_WRITE)});
    return outcome.error ? outcome.error->what() : "no error";
  }
};

/// The numbers f(1), f(2), ...
template <class Function>
auto numbers(Function f) {
  std::vector<double> list;
  for (int k = 1; k <= count; ++k) list.push_back(f(k));
  return testing::ElementsAreArray(list);
}

TEST_F(NestCode, KernelsRunOneAfterTheOtherForEachElement) {
  EXPECT_THAT(results("void first(const double* x, double* y) { *y = *x + 1; }",
                      "void second(double* y) { *y = *y * 2; }"),
              numbers([](double x) { return 2 * (x + 1); }));
}

TEST_F(NestCode, HelpersOfOneNameStayApart) {
  EXPECT_THAT(results("double help(double v) { return v + 1; }\n"
                      "void first(const double* x, double* y) { *y = help(*x); }",
                      "double help(double v) { return v * 10; }\n"
                      "void second(double* y) { *y = help(*y); }"),
              numbers([](double x) { return 10 * (x + 1); }));
}

TEST_F(NestCode, TypesOfOneNameStayApart) {
  EXPECT_THAT(results("struct Pair { double a, b; };\n"
                      "void first(const double* x, double* y) { Pair p{*x, 2}; *y = p.a + p.b; }",
                      "struct Pair { int n[3]; double get() const { return n[2]; } };\n"
                      "void second(double* y) { Pair p{{1, 2, 3}}; *y += p.get(); }"),
              numbers([](double x) { return x + 5; }));
}

TEST_F(NestCode, MacrosActOnTheirOwnSourceOnly) {
  EXPECT_THAT(results("#define FACTOR 3\n#define second third\n#define y z\n"
                      "void first(const double* x, double* z) { *y = FACTOR * *x; }",
                      "#define FACTOR 5\n"
                      "void second(double* y) { *y *= FACTOR; }"),
              numbers([](double x) { return 15 * x; }));
}

TEST_F(NestCode, AnOverloadOfALibraryFunctionIsSeenByItsOwnKernelOnly) {
  EXPECT_THAT(results("double pow(double v, int n) { return v + 100 * n; }\n"
                      "void first(const double* x, double* y) { *y = pow(*x, 2); }",
                      "void second(double* y) { *y = pow(*y, 2); }"),
              numbers([](double x) { return (x + 200) * (x + 200); }));
}

TEST_F(NestCode, StandardHeadersAndPragmasAreAllowed) {
  EXPECT_THAT(results("#include <cmath>\n#pragma once\n"
                      "void first(const double* x, double* y) { *y = std::floor(*x + 0.5); }",
                      "#include <cmath>\n#pragma clang fp contract(off)\n"
                      "void second(double* y) { *y = fabs(-*y); }"),
              numbers([](double x) { return x; }));
}

TEST_F(NestCode, StaticConstantsOfOneNameStayApart) {
  EXPECT_THAT(results("static const double table[2] = {1, 2};\n"
                      "void first(const double* x, double* y) { *y = *x + table[int(*x) % 2]; }",
                      "namespace { constexpr double table[] = {7, 8, 9}; }\n"
                      "void second(double* y) { *y += table[1]; }"),
              numbers([](int x) { return x + (x % 2 == 0 ? 1 : 2) + 8; }));
}

TEST_F(NestCode, KernelsOfOneNameStayApart) {
  add("twice", "void twice(const double* x, double* y) { *y = *x * 2; }",
      {{0, OP_READ}, {1, OP_WRITE}});
  add("twice", "void twice(double* y) { *y = *y + *y + 1; }", {{1, OP_RW}});
  std::vector<double> x(count, 1.0), y(count);
  run({dat(0, 1, OP_READ), dat(1, 1, OP_WRITE)}, {{x.data(), nullptr, 0}, {y.data(), nullptr, 0}});
  EXPECT_THAT(y, Each(5));
}

TEST_F(NestCode, IncludedFilesOfOneNameStayApart) {
  std::filesystem::create_directory(folder / "a");
  std::filesystem::create_directory(folder / "b");
  std::ofstream(folder / "a/part.h") << "#define value 2";
  std::ofstream(folder / "b/part.h") << "#define value 30";
  file = folder / "a/main.cpp";
  add("one", "#include \"part.h\"\nvoid one(double* y) { *y = value; }", {{0, OP_WRITE}});
  const std::string other = folder / "b/main.cpp";
  kernels.push_back({"two", "#include \"part.h\"\nvoid two(double* y) { *y += value; }",
                     other.c_str(), 1, false, nullptr, nullptr, nullptr, -1});
  request.nest.calls.push_back(call_of(kernels.back(), declared));
  request.nest.calls.back().args = {{0, OP_RW}};
  request.origins.push_back({.loop = "two", .call_site = "x.cpp:1", .kernel = &kernels.back()});
  std::vector<double> y(count);
  run({dat(0, 1, OP_WRITE)}, {{y.data(), nullptr, 0}});
  EXPECT_THAT(y, Each(32));
}

TEST_F(NestCode, ConstantsOfOneNameMayBeDifferentVariables) {
  double here = 2, there = 50;
  const Constant first{"gam", Type::f64, 1, &here};
  const Constant second{"gam", Type::f64, 1, &there, "double gam", &there};
  declared = {first, second};
  add("one", "void one(double* y) { *y = gam; }", {{0, OP_WRITE}});
  add("two", "void two(double* y) { *y += gam; }", {{0, OP_RW}});
  request.nest.calls[0].constants = {shape_of(first)};
  request.nest.calls[1].constants = {shape_of(second)};
  std::vector<double> y(count);
  run({dat(0, 1, OP_WRITE)}, {{y.data(), nullptr, 0}});
  EXPECT_THAT(y, Each(52));
}

TEST_F(NestCode, ArgumentsThatAreOffAreNullPointers) {
  add("one", "void one(double* y, const double* z) { *y = z == nullptr ? 3 : 4; }",
      {{0, OP_WRITE}, {1, OP_READ}});
  add("two", "void two(double* y) { *y += 1; }", {{0, OP_RW}});
  std::vector<double> y(count);
  run({dat(0, 1, OP_WRITE), off(dat(1, 1, OP_READ))}, {{y.data(), nullptr, 0}, {}});
  EXPECT_THAT(y, Each(4));
}

TEST_F(NestCode, KernelsSpellIntegersOf64BitsAsTheyLike) {
  add("one", "void one(long* n) { *n = 1L << 40; }", {{0, OP_WRITE}});
  add("two", "void two(long long* n) { *n += 2; }", {{0, OP_RW}});
  std::vector<std::int64_t> n(count);
  run({dat(0, 1, OP_WRITE, -1, Type::i64)}, {{n.data(), nullptr, 0}});
  EXPECT_THAT(n, Each((std::int64_t{1} << 40) + 2));
}

TEST_F(NestCode, VectorArgumentsAreArraysOfRows) {
  add("one", "void one(const double** x, double* y) { *y = x[0][0] + 10 * x[1][0]; }",
      {{0, OP_READ, 2}, {1, OP_READ, 0}, {2, OP_WRITE}});
  add("two", "void two(const double* x, double* y) { *y += 100 * *x; }",
      {{1, OP_READ}, {2, OP_RW}});
  double x[] = {1, 2, 3};
  std::vector<int> map;
  for (int k = 0; k < count; ++k) map.insert(map.end(), {k % 3, (k + 1) % 3});
  std::vector<double> y(count);
  run({dat(0, 1, OP_READ, 0), dat(0, 1, OP_READ, 1), dat(1, 1, OP_WRITE)},
      {{x, map.data(), 2}, {x, map.data() + 1, 2}, {y.data(), nullptr, 0}});
  EXPECT_EQ(y[0], 1 + 20 + 200);
  EXPECT_EQ(y[18], 1 + 20 + 200);
  EXPECT_EQ(y[2], 3 + 10 + 100);
}

TEST_F(NestCode, IncrementsAndReductionsOfBothAreKept) {
  add("one", "void one(const double* w, double* sum) { *sum += *w; }", {{0, OP_READ}, {1, OP_INC}});
  add("two", "void two(const double* w, double* a) { *a += 2 * *w; }", {{0, OP_READ}, {2, OP_INC}});
  std::vector<double> w(count, 1.0), rows(2);
  double sum = 0;
  std::vector<int> map(count, 1);
  run({dat(0, 1, OP_READ), global(1, OP_INC), dat(1, 1, OP_INC, 0, Type::f64, 1)},
      {{w.data(), nullptr, 0}, {&sum, nullptr, 0}, {rows.data(), map.data(), 1}});
  EXPECT_EQ(sum, count);
  EXPECT_THAT(rows, ElementsAre(0, 2 * count));
}

TEST_F(NestCode, AnErrorInTheSecondKernelShowsItsLine) {
  std::ofstream(file) << "\n\nvoid second(double* y) {\n  *y = unknown;\n}\n";
  add("first", "void first(const double* x, double* y) { *y = *x; }",
      {{0, OP_READ}, {1, OP_WRITE}});
  add("second", "void second(double* y) {\n  *y = unknown;\n}", {{1, OP_RW}});
  EXPECT_THAT(error(), HasSubstr("loop 'loop_second' (main.cpp:20): kernel 'second' does not "
                                 "compile: " +
                                 file + ":4:8: use of undeclared identifier 'unknown'"));
}

TEST_F(NestCode, ASignatureIsComparedWithTheAccessOfItsOwnKernel) {
  add("first", "void first(const double* x, double* y) { *y = *x; }",
      {{0, OP_READ}, {1, OP_WRITE}});
  add("second", "void second(double* y) { }", {{1, OP_READ}});
  EXPECT_THAT(error(), HasSubstr("loop 'loop_second' (main.cpp:20): arg 0 (OP_READ, double x1): "
                                 "parameter 'double *y' must be a pointer to const"));
}

TEST_F(NestCode, AFunctionThatIsNotDefinedIsAnErrorOfItsKernel) {
  add("first", "void first(const double* x, double* y) { *y = *x; }",
      {{0, OP_READ}, {1, OP_WRITE}});
  add("second", "double later(double);\nvoid second(double* y) { *y = later(*y); }", {{1, OP_RW}});
  EXPECT_THAT(error(), HasSubstr("kernel 'second' does not compile"));
  EXPECT_THAT(error(), HasSubstr("function 'later' is declared but not defined"));
}

TEST_F(NestCode, AFunctionOfAnotherKernelDefinesNothing) {
  add("first",
      "double later(double v) { return v; }\n"
      "void first(const double* x, double* y) { *y = later(*x); }",
      {{0, OP_READ}, {1, OP_WRITE}});
  add("second", "double later(double);\nvoid second(double* y) { *y = later(*y); }", {{1, OP_RW}});
  EXPECT_THAT(error(), HasSubstr("function 'later' is declared but not defined"));
}

TEST_F(NestCode, AccessIsComparedForEachKernel) {
  core::Log warnings(core::LogLevel::warning);
  jit = std::make_unique<Jit>(
      test::jit_options(folder.path(), [] { return std::vector<Constant>(); }), warnings);
  testing::internal::CaptureStderr();
  add("first", "void first(const double* x, double* y) { *y = *x; }",
      {{0, OP_READ}, {1, OP_WRITE}});
  add("second", "void second(double* y) { *y = 1; }", {{1, OP_INC}});
  EXPECT_EQ(error(), "no error");
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("loop 'loop_second' (main.cpp:20): arg 0 (OP_INC): kernel 'second'"));
  jit.reset();
}

TEST_F(NestCode, CodeOfANestIsFoundOnDisk) {
  results("void first(const double* x, double* y) { *y = *x; }",
          "void second(double* y) { *y += 1; }");
  jit = std::make_unique<Jit>(test::jit_options(folder.path(), [this] { return declared; }), log);
  const LoopCode again = jit->compile({{request}})[0];
  EXPECT_TRUE(again.code->from_disk);
  EXPECT_EQ(again.code->signature, "first(const double *x, double *y); second(double *y)");
}

TEST_F(NestCode, IsSimdCodeWhereASingleKernelWouldBe) {
  add("first", "void first(const double* x, double* y) { *y = sqrt(*x) / (1 + *x); }",
      {{0, OP_READ}, {1, OP_WRITE}});
  add("second", "void second(double* y) { *y = 1 / sqrt(1 + *y); }", {{1, OP_RW}});
  const LoopCode outcome = get({dat(0, 1, OP_READ), dat(1, 1, OP_WRITE)});
  ASSERT_NE(outcome.code, nullptr);
  EXPECT_TRUE(outcome.code->simd.vectorised()) << description_of(outcome.code->simd);
}

}  // namespace
}  // namespace op2::jit
