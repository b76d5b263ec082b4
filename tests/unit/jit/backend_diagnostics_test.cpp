// SPDX-License-Identifier: BSD-3-Clause
// The errors that the plug-in finds in a text, their places, and the limits that a text must keep
// to.
#include <string>

#include <gmock/gmock.h>

#include <unit/jit/backend_support.hpp>

namespace op2::jit::test {
namespace {

using testing::HasSubstr;

TEST(Diagnostics, PointToTheUsersLine) {
  const auto error = first_error(work("\n\n  *y = *x +;"));
  EXPECT_EQ(error.file, "user.cpp");
  EXPECT_EQ(error.line, 12);
  EXPECT_EQ(error.column, 12);
  EXPECT_EQ(error.text, "expected expression");
  EXPECT_EQ(error.source_line, "  *y = *x +;}");
}

TEST(Diagnostics, NameAnUnknownSymbol) {
  const auto error = first_error(work("*y = gma * *x;"));
  EXPECT_EQ(error.kind, Diagnostic::Kind::unknown_symbol);
  EXPECT_EQ(error.subject, "gma");
}

TEST(Diagnostics, NameAnUnknownFunctionAlthoughASimilarOneExists) {
  auto request = work("*y = sqr(*x);");
  request.units[0].source = "#include <cmath>\n" + request.units[0].source;
  EXPECT_EQ(first_error(request).subject, "sqr");
}

TEST(Diagnostics, DoNotSuggestTheLibrarysOwnNames) {
  auto request = work("*y = together + load_it;");
  request.units[0].source = "#include <op2_simd>\n" + request.units[0].source;
  for (const Diagnostic& message : load()->compile(request).diagnostics)
    EXPECT_THAT(message.text, testing::Not(HasSubstr("op2_"))) << message.text;
}

TEST(Diagnostics, DoNotShowTheLibrarysOwnDeclarations) {
  for (const char* body :
       {"std::vector<double> v(3);", "vector<double> v;", "std::list<double> v;", "*y = sum(*x);",
        "std::map<int, int> v;", "std::set<int> v;", "*y = half(*x);", "std::string v;"}) {
    auto request = work(body);
    request.units[0].source = "#include <op2_simd>\n" + request.units[0].source;
    for (const Diagnostic& message : load()->compile(request).diagnostics) {
      EXPECT_THAT(message.text, testing::Not(HasSubstr("Vector"))) << body;
      EXPECT_THAT(message.text, testing::Not(HasSubstr("List"))) << body;
      EXPECT_THAT(message.file, testing::Not(HasSubstr("op2_"))) << message.text;
    }
  }
}

/// The first message about a kernel, with what is before it.
Diagnostic message_about(const char* before, const char* body) {
  auto request = work(body);
  request.units[0].source = before + request.units[0].source;
  const CompileResult result = load()->compile(request);
  EXPECT_FALSE(result.diagnostics.empty()) << before << body;
  return result.diagnostics.empty() ? Diagnostic{} : result.diagnostics[0];
}

TEST(Diagnostics, WarnOfStateThatThreadsShare) {
  const char* names[][2] = {{"", "static int n = 0; *y = ++n;"},
                            {"static double n = 0;\n", "*y = *x; n += *x;"},
                            {"struct P { double v[2]; } n;\n", "n.v[1] = *x; *y = 1;"}};
  for (const auto& [before, body] : names) {
    const Diagnostic message = message_about(before, body);
    EXPECT_EQ(message.severity, Diagnostic::Severity::warning);
    EXPECT_THAT(message.text, HasSubstr("must not keep state: variable 'n'"));
  }
}

TEST(Diagnostics, DoNotWarnOfConstants) {
  auto request = work("static const double t[2] = {1, 2}; double l = *x; l += gam; *y = l + t[1];");
  request.units[0].source = "static double gam = 2;\n" + request.units[0].source;
  EXPECT_TRUE(load()->compile(request).diagnostics.empty());
}

TEST(Diagnostics, WarnOfInlineAssembly) {
  const Diagnostic message = message_about("", "asm volatile(\"\"); *y = *x;");
  EXPECT_EQ(message.severity, Diagnostic::Severity::warning);
  EXPECT_THAT(message.text, HasSubstr("inline assembly"));
}

TEST(Diagnostics, RefuseWhatKernelsDoNotSupport) {
  EXPECT_THAT(first_error(work("double* p = new double(*x); *y = *p;")).text,
              HasSubstr("allocate"));
  EXPECT_THAT(
      first_error(work("struct S { virtual double f() { return 1; } }; *y = S().f();")).text,
      HasSubstr("virtual functions"));
  auto request = work("*y = fabs(*x);");
  request.units[0].source =
      "#include <cmath>\ndouble fabs(double x) { return x; }\n" + request.units[0].source;
  EXPECT_THAT(first_error(request).text, HasSubstr("redefines a function of the library: 'fabs'"));
}

TEST(Diagnostics, NameAMissingInclude) {
  auto request = work("*y = *x;");
  request.units[0].source = "#include \"nowhere.h\"\n" + request.units[0].source;
  const auto error = first_error(request);
  EXPECT_EQ(error.kind, Diagnostic::Kind::missing_include);
  EXPECT_EQ(error.subject, "nowhere.h");
}

TEST(Diagnostics, HideTheFilesOfTheMachine) {
  auto request = work("*y = *x;");
  request.units[0].source = "#include </usr/include/stdio.h>\n" + request.units[0].source;
  EXPECT_EQ(first_error(request).kind, Diagnostic::Kind::missing_include);
}

TEST(Diagnostics, PointIntoIncludedFiles) {
  auto request = work("*y = *x;");
  request.units[0].source = "#include \"lib/bad.h\"\n" + request.units[0].source;
  request.units[0].includes = {{"lib/bad.h", "\ninline int f() { return unknown; }\n"}};
  EXPECT_EQ(first_error(request).file, "lib/bad.h");
  EXPECT_EQ(first_error(request).line, 2);
}

TEST(Diagnostics, AreNotMoreThanTwentyErrors) {
  std::string body;
  for (int i = 0; i < 100; ++i) body += "unknown" + std::to_string(i) + "();\n";
  EXPECT_LE(load()->compile(work(body)).diagnostics.size(), 21U);
}

TEST(Diagnostics, AreNeverPrinted) {
  testing::internal::CaptureStderr();
  first_error(work("*y = ;"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Diagnostics, PointToAGlobalThatNeedsAConstructor) {
  auto request = work("\n*y = table + *x;");
  request.units[0].source =
      "#line 3 \"user.cpp\"\n#include <cmath>\nstatic int fine = 1;\n"
      "extern const double start;\nstatic double table = start;\n" +
      request.units[0].source;
  const auto error = first_error(request);
  EXPECT_THAT(error.text, HasSubstr("initial value"));
  EXPECT_EQ(error.file, "user.cpp");
  EXPECT_EQ(error.line, 6);
}

TEST(Diagnostics, PointToAFunctionThatIsNotDefined) {
  const auto error =
      first_error(request("double ext(double);\n"
                          "void work(const double* x, double* y) { *y = ext(*x); }",
                          {arg(OP_READ), arg(OP_WRITE)}));
  EXPECT_EQ(error.kind, Diagnostic::Kind::unknown_symbol);
  EXPECT_EQ(error.subject, "ext");
  EXPECT_EQ(error.line, 10);
  EXPECT_EQ(error.column, 8);
}

Diagnostic::Kind limit_kind(const std::string& prologue, const std::string& body) {
  auto request = work(body);
  request.units[0].source = prologue + request.units[0].source;
  return first_error(request).kind;
}

TEST(Limits, StopEndlessTemplates) {
  EXPECT_EQ(
      limit_kind("template <int N> struct Bomb { static const int value = Bomb<N + 1>::value; };\n",
                 "*y = Bomb<0>::value;"),
      Diagnostic::Kind::limit);
}

TEST(Limits, StopEndlessConstantEvaluation) {
  EXPECT_EQ(limit_kind("constexpr int bomb() { int n = 0; for (;;) ++n; return n; }\n",
                       "constexpr int n = bomb(); *y = n;"),
            Diagnostic::Kind::limit);
}

TEST(Limits, StopDeepBrackets) {
  EXPECT_EQ(limit_kind("", "*y = " + std::string(300, '(') + "1" + std::string(300, ')') + ";"),
            Diagnostic::Kind::limit);
}

TEST(Limits, StopEndlessIncludes) {
  auto request = work("*y = *x;");
  request.units[0].source = "#include \"self.h\"\n" + request.units[0].source;
  request.units[0].includes = {{"self.h", "#include \"self.h\"\n"}};
  EXPECT_EQ(first_error(request).kind, Diagnostic::Kind::limit);
}

TEST(Limits, RefuseAFrameOfAMegabyte) {
  const auto error = first_error(work(
      "volatile double a[131072]; for (int i = 0; i < 131072; ++i) a[i] = *x; *y = a[int(*x)];"));
  EXPECT_EQ(error.kind, Diagnostic::Kind::limit);
  EXPECT_THAT(error.text, HasSubstr("262144"));
  EXPECT_EQ(error.line, 10);
}

TEST(Limits, AcceptASumOfTenThousandTerms) {
  std::string body = "*y = *x";
  for (int i = 0; i < 10000; ++i) body += " + 1";
  EXPECT_EQ(load()->compile(work(body + ";")).status, CompileStatus::ok);
}

}  // namespace
}  // namespace op2::jit::test
