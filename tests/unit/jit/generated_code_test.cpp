// SPDX-License-Identifier: BSD-3-Clause
// The whole way with the real compiler: text in, numbers out.
#include <fstream>
#include <numeric>

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
using test::element_number;
using test::global;
using test::off;
using testing::ElementsAre;
using testing::HasSubstr;

struct GeneratedCode : testing::Test {
  test::TemporaryDirectory folder;
  core::Log log{core::LogLevel::off};
  std::vector<Constant> declared;
  std::string file = folder / "main.cpp";

  std::unique_ptr<Jit> make() {
    const auto constants = [this] { return declared; };
    return std::make_unique<Jit>(test::jit_options(folder.path(), constants), log);
  }
  LoopCode get(const char* name, const char* text, std::vector<ArgShape> args) {
    jit_ = make();
    const op_kernel_core kernel{name, text, file.c_str(), 1, false, nullptr, nullptr, nullptr, -1};
    return jit_->compile({{test::loop_request(kernel, std::move(args), declared)}})[0];
  }
  void run(const char* name, const char* text, std::vector<ArgShape> args, int count,
           const std::vector<ArgBinding>& bindings) {
    const LoopCode outcome = get(name, text, std::move(args));
    if (outcome.error) FAIL() << outcome.error->what();
    range_of (*outcome.code)(0, count, bindings.data());
  }
  std::string error(const char* name, const char* text, std::vector<ArgShape> args) {
    const LoopCode outcome = get(name, text, std::move(args));
    return outcome.error ? outcome.error->what() : "no error";
  }

 private:
  std::unique_ptr<Jit> jit_;
};

/// A kernel that adds two values of a type whose C++ name is `cxx`.
template <class T>
void expect_sums(GeneratedCode& test, Type type, const std::string& cxx) {
  const T from[] = {T(1), T(0), T(3)};
  T to[] = {T(0), T(0), T(4)};
  const std::string text = "void add(const " + cxx + "* a, " + cxx + "* b) { *b = *b + *a; }";
  test.run("add", text.c_str(), {dat(0, 1, OP_READ, -1, type), dat(1, 1, OP_RW, -1, type)}, 3,
           {{const_cast<T*>(from), nullptr, 0}, {to, nullptr, 0}});
  EXPECT_THAT(to, ElementsAre(T(1), T(0), T(T(4) + T(3)))) << cxx;
}

TEST_F(GeneratedCode, WorksForRealTypes) {
  expect_sums<double>(*this, Type::f64, "double");
  expect_sums<float>(*this, Type::f32, "float");
}

TEST_F(GeneratedCode, WorksForIntegersOf32Bits) {
  expect_sums<int>(*this, Type::i32, "int");
  expect_sums<unsigned>(*this, Type::u32, "unsigned");
}

TEST_F(GeneratedCode, WorksForBothSpellingsOf64Bits) {
  expect_sums<long>(*this, Type::i64, "long");
  expect_sums<long long>(*this, Type::i64, "long long");
  expect_sums<unsigned long>(*this, Type::u64, "unsigned long");
  expect_sums<unsigned long long>(*this, Type::u64, "unsigned long long");
}

TEST_F(GeneratedCode, WorksForBool) {
  expect_sums<bool>(*this, Type::b8, "bool");
}

TEST_F(GeneratedCode, IncrementsThroughTwoColumnsMeetInOneRow) {
  const int map[] = {0, 1, 1, 1, 2, 0};  // edge 1 has the same cell twice
  const double weight[] = {1, 10, 100};
  double cells[] = {0, 0, 0};
  run("spread", "void spread(const double* w, double* a, double* b) { *a += *w; *b += 2 * *w; }",
      {dat(0, 1, OP_READ), dat(1, 1, OP_INC, 0), dat(1, 1, OP_INC, 1)}, 3,
      {{const_cast<double*>(weight), nullptr, 0}, {cells, map, 2}, {cells, map + 1, 2}});
  EXPECT_THAT(cells, ElementsAre(201, 32, 100));
}

TEST_F(GeneratedCode, BothSpellingsOf64BitsMayNameOneDat) {
  long a = 0;
  run("count", "void count(long* a, long long* b) { *a += 1; *b += 1; *a += 1; }",
      {dat(0, 1, OP_INC, -1, Type::i64), dat(0, 1, OP_INC, -1, Type::i64)}, 1,
      {{&a, nullptr, 0}, {&a, nullptr, 0}});
  EXPECT_EQ(a, 3);
}

TEST_F(GeneratedCode, RowsHaveTheDimOfTheDat) {
  const int map[] = {1, 0};
  const float x[] = {1, 2, 3, 4, 5, 6};
  float y[] = {0, 0};
  run("norm", "void norm(const float* x, float* y) { y[0] = x[0] + x[1] + x[2]; }",
      {dat(0, 3, OP_READ, 0, Type::f32, 1), dat(1, 1, OP_WRITE, -1, Type::f32)}, 2,
      {{const_cast<float*>(x), map, 1}, {y, nullptr, 0}});
  EXPECT_THAT(y, ElementsAre(15, 6));
}

TEST_F(GeneratedCode, OnlyElementsOfTheRangeAreTouched) {
  int a[] = {0, 0, 0, 0};
  const auto outcome =
      get("one", "void one(int* a) { *a = 1; }", {dat(0, 1, OP_WRITE, -1, Type::i32)});
  const ArgBinding binding{a, nullptr, 0};
  range_of (*outcome.code)(1, 3, &binding);
  EXPECT_THAT(a, ElementsAre(0, 1, 1, 0));
}

TEST_F(GeneratedCode, ReductionsAddToTheGivenBlocks) {
  const double a[] = {3, -2, 5};
  double sum[] = {100, 200};
  double low = 0, high = 4;
  const double scale = 2;
  run("reduce",
      "#include <cmath>\n"
      "void reduce(const double* a, const double* s, double* sum, double* low, double* high) {\n"
      "  sum[0] += *s * *a; sum[1] += 1; *low = fmin(*low, *a); *high = std::fmax(*high, *a); }",
      {dat(0, 1, OP_READ), global(1, OP_READ), global(2, OP_INC), global(1, OP_MIN),
       global(1, OP_MAX)},
      3,
      {{const_cast<double*>(a), nullptr, 0},
       {const_cast<double*>(&scale), nullptr, 0},
       {sum, nullptr, 0},
       {&low, nullptr, 0},
       {&high, nullptr, 0}});
  EXPECT_THAT(sum, ElementsAre(112, 203));
  EXPECT_EQ(low, -2);
  EXPECT_EQ(high, 5);
}

TEST_F(GeneratedCode, LargeReducedGlobalsAreReducedInPlace) {
  std::vector<long long> histogram(100, 1);
  const int a[] = {99, 5, 99};
  run("count", "void count(const int* a, long long* h) { h[*a]++; }",
      {dat(0, 1, OP_READ, -1, Type::i32), global(100, OP_INC, Type::i64)}, 3,
      {{const_cast<int*>(a), nullptr, 0}, {histogram.data(), nullptr, 0}});
  EXPECT_EQ(histogram[99], 3);
  EXPECT_EQ(std::accumulate(histogram.begin(), histogram.end(), 0LL), 103);
}

TEST_F(GeneratedCode, ElementNumbersReachTheKernel) {
  const int map[] = {7, 8};
  int out[] = {0, 0};
  run("number",
      "void number(const int* own, const int* target, int* out) { *out = 100 * *own + *target; }",
      {element_number(), element_number(0, 1), dat(0, 1, OP_WRITE, -1, Type::i32)}, 2,
      {{nullptr, nullptr, 0}, {nullptr, map, 1}, {out, nullptr, 0}});
  EXPECT_THAT(out, ElementsAre(7, 108));
}

TEST_F(GeneratedCode, ATableSaysUnderWhichNumbersTheKernelKnowsRows) {
  const int map[] = {2, 0};
  int own[] = {50, 60}, targets[] = {7, 8, 9}, out[] = {0, 0};
  run("number",
      "void number(const int* own, const int* target, int* out) { *out = 100 * *own + *target; }",
      {element_number(), element_number(0, 1), dat(0, 1, OP_WRITE, -1, Type::i32)}, 2,
      {{own, nullptr, 0}, {targets, map, 1}, {out, nullptr, 0}});
  EXPECT_THAT(out, ElementsAre(5009, 6007));
}

TEST_F(GeneratedCode, ArgumentsThatAreOffAreNull) {
  int out = 0;
  run("maybe",
      "void maybe(const double* a, const long* b, int* out) { *out = (a == nullptr) + (b == "
      "nullptr); }",
      {off(dat(0, 1, OP_READ)), off(dat(1, 1, OP_READ, 0, Type::i64)),
       dat(2, 1, OP_WRITE, -1, Type::i32)},
      1, {{nullptr, nullptr, 0}, {nullptr, nullptr, 0}, {&out, nullptr, 0}});
  EXPECT_EQ(out, 2);
}

TEST_F(GeneratedCode, ConstantsAreReadWhenTheCodeRuns) {
  double gam = 1;
  float table[] = {1, 2, 3};
  declared = {{"gam", Type::f64, 1, &gam}, {"table", Type::f32, 3, table}};
  const auto outcome = get("scale",
                           "static double twice() { return 2 * gam; }\n"
                           "static void scale(double* a) { *a = twice() + table[2]; }",
                           {dat(0, 1, OP_WRITE)});
  ASSERT_FALSE(outcome.error) << outcome.error->what();
  double a = 0;
  const ArgBinding binding{&a, nullptr, 0};
  range_of (*outcome.code)(0, 1, &binding);
  EXPECT_EQ(a, 5);
  gam = 10;
  range_of (*outcome.code)(0, 1, &binding);
  EXPECT_EQ(a, 23);
}

TEST_F(GeneratedCode, IncludedFilesAreCompiledIn) {
  std::filesystem::create_directory(folder.path() / "gas");
  std::ofstream(folder / "gas/law.h")
      << "#include \"detail.h\"\ninline int law(int x) { return detail(x) + 1; }\n";
  std::ofstream(folder / "gas/detail.h")
      << "#pragma once\ninline int detail(int x) { return 10 * x; }\n";
  int a = 4;
  run("apply", "#include \"gas/law.h\"\ninline void apply(int* a) { *a = law(*a); }",
      {dat(0, 1, OP_RW, -1, Type::i32)}, 1, {{&a, nullptr, 0}});
  EXPECT_EQ(a, 41);
}

TEST_F(GeneratedCode, NamesOfTheGeneratedPartAreFreeForTheKernel) {
  int a = 1;
  run("run",
      "struct ArgBinding { int element; };\nvoid run(int* dat0) { ArgBinding args{2}; *dat0 = "
      "args.element; }",
      {dat(0, 1, OP_RW, -1, Type::i32)}, 1, {{&a, nullptr, 0}});
  EXPECT_EQ(a, 2);
}

TEST_F(GeneratedCode, MacrosOfTheSourceLeaveTheGeneratedPartAlone) {
  const int map[] = {1, 0};
  long a[] = {5, 6};
  run("k",
      "#define element 3\n#define begin 1\n#define end 0\n#define base index\n#define index base\n"
      "#define dat0 nothing\n#define row0 7\n#define args 0\n#define run stop\n#define clang\n"
      "void k(long* a, const int* n) { *a = 10 * *a + *n; }",
      {dat(0, 1, OP_RW, 0, Type::i64, 1), element_number()}, 2,
      {{a, map, 1}, {nullptr, nullptr, 0}});
  EXPECT_THAT(a, ElementsAre(51, 60));
}

TEST_F(GeneratedCode, MacrosMustNotRenameKeywordsOrTheLibrarysNames) {
  const std::string k = "\nvoid k(double* a) { *a = 1; }";
  for (const char* name : {"int", "long", "const", "op2_dat0"}) {
    const std::string text = "#define " + std::string(name) + " long long" + k;
    EXPECT_THAT(error("k", text.c_str(), {dat(0, 1, OP_WRITE)}),
                testing::AllOf(HasSubstr("OP2-E101"), HasSubstr("kernel 'k' line 1"),
                               HasSubstr("must not define a macro of that name")))
        << name;
  }
}

TEST_F(GeneratedCode, AFileAboveTheFolderIsFound) {
  std::ofstream(folder / "up.h") << "inline int up() { return 41; }\n";
  std::filesystem::create_directory(folder.path() / "source");
  file = folder / "source/main.cpp";
  int a = 0;
  run("k", "#include \"../up.h\"\nvoid k(int* a) { *a = up(); }",
      {dat(0, 1, OP_WRITE, -1, Type::i32)}, 1, {{&a, nullptr, 0}});
  EXPECT_EQ(a, 41);
}

TEST_F(GeneratedCode, KernelsOfOneNameButDifferentSourcesLiveSideBySide) {
  static const op_kernel_core kernel{"k", "", "main.cpp", 7, false, nullptr, nullptr, nullptr, -1};
  const auto request = [](const char* text) {
    return LoopRequest{nest_of({.name = "k", .source = text}, {dat(0, 1, OP_WRITE)}),
                       {{.loop = "loop", .call_site = "main.cpp:7", .kernel = &kernel}}};
  };
  const auto jit = make();
  const auto outcomes = jit->compile(
      {{request("void k(double* a) { *a = 1; }"), request("void k(double* a) { *a = 2; }")}});
  double a[2];
  for (int i = 0; i < 2; ++i) {
    ASSERT_FALSE(outcomes[i].error);
    const ArgBinding binding{&a[i], nullptr, 0};
    range_of (*outcomes[i].code)(0, 1, &binding);
  }
  EXPECT_THAT(a, ElementsAre(1, 2));
}

TEST_F(GeneratedCode, AMistakeIsShownInTheUsersFile) {
  const char* text = "void k(double* a) {\n  *a = 1\n}\n";
  std::ofstream(file) << "// a program\nauto k = op_decl_kernel(\"k\", R\"(" << text << ")\");\n";
  const std::string what = error("k", text, {dat(0, 1, OP_WRITE)});
  EXPECT_THAT(what, HasSubstr("OP2-E101 loop 'loop' (main.cpp:7): kernel 'k' does not compile: " +
                              file + ":3:9"));
  EXPECT_THAT(what, HasSubstr("\n  *a = 1\n        ^"));
}

TEST_F(GeneratedCode, UnknownNamesDifferFromOtherMistakes) {
  double gam = 1;
  declared = {{"gam", Type::f64, 1, &gam}};
  EXPECT_THAT(error("k", "void k(double* a) { *a = gamm; }", {dat(0, 1, OP_WRITE)}),
              testing::AllOf(HasSubstr("OP2-E104"),
                             HasSubstr("declared constants: gam; did you mean 'gam'?")));
}

TEST_F(GeneratedCode, MissingIncludesNameTheFolder) {
  EXPECT_THAT(error("k", "#include \"gone.h\"\nvoid k(double* a) {}", {dat(0, 1, OP_WRITE)}),
              testing::AllOf(HasSubstr("OP2-E103"), HasSubstr(folder.path().string())));
}

TEST_F(GeneratedCode, ParametersMustFitTheArguments) {
  EXPECT_THAT(error("k", "void k(float* a) {}", {dat(0, 1, OP_WRITE)}),
              testing::AllOf(HasSubstr("OP2-E102"), HasSubstr("loop 'loop' (main.cpp:7)")));
  EXPECT_THAT(error("k", "void k(double* a) {}", {dat(0, 1, OP_READ)}), HasSubstr("OP2-E102"));
  EXPECT_THAT(error("k", "void other(double* a) {}", {dat(0, 1, OP_RW)}), HasSubstr("OP2-E102"));
}

TEST_F(GeneratedCode, AnUnclosedBraceIsAMistakeOfTheSource) {
  EXPECT_THAT(error("k", "void k(double* a) {", {dat(0, 1, OP_WRITE)}),
              testing::AllOf(HasSubstr("OP2-E101"),
                             HasSubstr("the source ends inside the '{' that is opened here")));
}

}  // namespace
}  // namespace op2::jit
