// SPDX-License-Identifier: BSD-3-Clause
// What the compiler of a text sees a kernel do against the access modes of its loop.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <support/loop_shapes.hpp>
#include <unit/jit/backend_support.hpp>

namespace op2::jit::test {
namespace {

using op2::test::dat;
using op2::test::element_number;
using op2::test::global;
using op2::test::off;
using testing::ElementsAre;
using testing::IsEmpty;

CompileResult compiled(const std::string& text, const std::vector<ParameterShape>& args) {
  CompileRequest asked = request(text, args);
  asked.units[0].source = "#include <cmath>\n#include <algorithm>\n#line 10 \"user.cpp\"\n" + text +
                          "\n#line 1 \"generated code\"\n"
                          "extern \"C\" void op2_range_work(long, long, const void*) {}\n";
  CompileResult result = load()->compile(asked);
  EXPECT_EQ(result.status, CompileStatus::ok) << result.message;
  for (const Diagnostic& message : result.diagnostics) EXPECT_EQ(message.text, "");
  return result;
}

/// "argument: what", for each finding in the order of the arguments.
std::vector<std::string> found(const std::string& text, const std::vector<ParameterShape>& args) {
  std::vector<std::string> lines;
  for (const AccessFinding& finding : compiled(text, args).findings)
    lines.push_back(fmt::format("{}: {}", finding.argument, finding.what));
  return lines;
}

/// Of a kernel `void work(const double* x, double* y)` with an OP_READ of dim 4, and this one.
std::vector<std::string> found(const std::string& body, const ArgShape& y) {
  return found("void work(const double* x, double* y) {" + body + "}", {dat(0, 4, OP_READ), y});
}

ParameterShape rows(const ArgShape& first, int count) {
  return {first, count};
}

TEST(AccessFindings, AWriteOfWhatIsRead) {
  EXPECT_THAT(found("const_cast<double*>(x)[0] = 1; y[0] = 1;", dat(1, 1, OP_WRITE)),
              ElementsAre("0: writes it"));
}

TEST(AccessFindings, AReadOfWhatIsNotWrittenYet) {
  EXPECT_THAT(found("y[1] = x[0]; y[0] = y[0] + x[0];", dat(1, 2, OP_WRITE)),
              ElementsAre("1: reads it before writing it"));
  EXPECT_THAT(found("y[0] += x[0];", dat(1, 1, OP_WRITE)),
              ElementsAre("1: reads it before writing it"));
}

TEST(AccessFindings, AWriteInPart) {
  EXPECT_THAT(found("for (int i = 0; i < 3; ++i) y[i] = x[i];", dat(1, 4, OP_WRITE)),
              ElementsAre("1: writes only 3 of its 4 values"));
  EXPECT_THAT(found("if (x[0] > 0) y[0] = 1;", dat(1, 1, OP_WRITE)),
              ElementsAre("1: writes it only on some paths"));
  EXPECT_THAT(found("if (x[0] > y[0]) return;", dat(1, 1, OP_WRITE)),
              ElementsAre("1: reads it before writing it"));
  EXPECT_THAT(found("if (*x < 0 && y == nullptr) return;", dat(1, 1, OP_WRITE)),
              ElementsAre("1: does not write it"));
}

TEST(AccessFindings, RowsBehindAMapKeepWhatIsNotWritten) {
  for (const char* body :
       {"y[0] = x[0]; y[1] = x[1];", "if (x[0] > 0) for (int i = 0; i < 3; ++i) y[i] = 1;"}) {
    EXPECT_THAT(found(body, dat(1, 3, OP_WRITE, 0)), IsEmpty()) << body;
    EXPECT_EQ(found(body, dat(1, 3, OP_WRITE)).size(), 1U) << body;
  }
  EXPECT_THAT(found("y[0] = x[0] + y[1];", dat(1, 2, OP_WRITE, 0)),
              ElementsAre("1: reads it before writing it"));
}

TEST(AccessFindings, AnAssignmentInsteadOfAnIncrement) {
  EXPECT_THAT(found("y[0] = x[0];", dat(1, 1, OP_INC)),
              ElementsAre("1: assigns to it instead of adding"));
  EXPECT_THAT(found("y[0] *= x[0];", dat(1, 1, OP_INC, 0)),
              ElementsAre("1: assigns to it instead of adding"));
}

TEST(AccessFindings, AssignmentsOfAssignments) {
  EXPECT_THAT(found("y[0] = y[1] = x[0];", dat(1, 2, OP_INC)),
              ElementsAre("1: assigns to it instead of adding"));
  EXPECT_THAT(found("const_cast<double*>(x)[0] = const_cast<double*>(x)[1] = 0; y[0] = y[1] = 1;",
                    dat(1, 2, OP_WRITE)),
              ElementsAre("0: writes it"));
  EXPECT_THAT(found("y[0] = y[1] = x[0] + y[0];", dat(1, 2, OP_WRITE)),
              ElementsAre("1: reads it before writing it"));
  EXPECT_THAT(found("y[4] = x[0]; y[1] = y[2] = y[3] = 0;", dat(1, 4, OP_WRITE)),
              ElementsAre("1: uses index 4, but its dimension is 4"));
  EXPECT_THAT(found("double t = y[0] = y[1] = x[0]; (void)t;", dat(1, 3, OP_WRITE)),
              ElementsAre("1: writes only 2 of its 3 values"));
  EXPECT_THAT(found("double t = y[0] += x[0]; (void)t;", dat(1, 1, OP_INC, 0)),
              ElementsAre("1: reads it"));
  EXPECT_THAT(found("int i, j = i = 3; y[i] = y[j - 1] = x[0];", dat(1, 3, OP_WRITE)),
              ElementsAre("1: uses index 3, but its dimension is 3"));
}

TEST(AccessFindings, AnExtremeThatIsNotCompared) {
  EXPECT_THAT(found("*y = x[0];", global(1, OP_MIN)),
              ElementsAre("1: assigns to it without comparing"));
  EXPECT_THAT(found("y[0] = y[1] = x[0];", global(2, OP_MAX)),
              ElementsAre("1: assigns to it without comparing"));
  for (const char* body : {"*y = x[0] > *y ? x[0] : *y;", "*y = fmax(x[0], *y);",
                           "if (x[0] > 0) *y = 1;", "if (x[0] > *y) *y = x[0]; else *y = *y;"})
    EXPECT_THAT(found(body, global(1, OP_MAX)), IsEmpty()) << body;
}

TEST(AccessFindings, AnExtremeThatIsChangedByArithmetic) {
  for (const char* body : {"*y += x[0];", "*y *= x[0];", "if (x[0] > 0) ++*y;", "*y = *y + x[0];",
                           "if (x[0] > *y) *y = x[0]; else *y -= 1;"})
    for (const op_access access : {OP_MIN, OP_MAX})
      EXPECT_THAT(found(body, global(1, access)), ElementsAre("1: changes it by arithmetic"))
          << body;
}

TEST(AccessFindings, AReadOfWhatIsAddedToThroughAMapOrOfASum) {
  const std::string body = "if (y[0] < 5) y[0] += x[0];";
  EXPECT_THAT(found(body, dat(1, 1, OP_INC, 0)), ElementsAre("1: reads it"));
  EXPECT_THAT(found(body, global(1, OP_INC)), ElementsAre("1: reads it"));
  EXPECT_THAT(found(body, dat(1, 1, OP_INC)), IsEmpty()) << "direct: it may";
}

TEST(AccessFindings, AnIndexBeyondTheDimension) {
  EXPECT_THAT(found("y[0] = x[4];", dat(1, 1, OP_WRITE)),
              ElementsAre("0: uses index 4, but its dimension is 4"));
  EXPECT_THAT(found("y[0] = 0; for (int i = 0; i <= 4; ++i) y[0] += x[i];", dat(1, 1, OP_WRITE)),
              ElementsAre("0: uses index 4, but its dimension is 4"));
}

TEST(AccessFindings, AnIndexBeyondIsCertainWhereItIsAlwaysUsed) {
  const auto beyond = [](const std::string& body) {
    return compiled("void work(const double* x, double* y) {" + body + "}",
                    {dat(0, 4, OP_READ), dat(1, 1, OP_RW)})
        .findings.at(0)
        .beyond;
  };
  EXPECT_EQ(beyond("y[0] = x[4];"), Beyond::certain);
  EXPECT_EQ(beyond("y[0] = 0; for (int i = 0; i <= 4; ++i) y[0] += x[i];"), Beyond::certain);
  EXPECT_EQ(beyond("if (x[0] > 0) y[0] = 1; y[1] = 2;"), Beyond::certain);
  for (const char* body : {"if (x[0] > 0) y[0] = x[4];", "y[0] = x[0] > 0 ? x[4] : 0;",
                           "if (x[0] > 0) return; y[1] = 0;", "while (x[0] < y[0]) y[0] += x[4];",
                           "switch ((int)x[0]) { case 0: y[1] = 0; }",
                           "for (int i = 0; i < 9; ++i) { if (x[0] > i) break; y[1] = 0; }"})
    EXPECT_EQ(beyond(body), Beyond::possible) << body;
}

TEST(AccessFindings, AnIndexBeyondTheRowsOfAVectorArgument) {
  EXPECT_THAT(found("void work(const double* const* x, double* y) { y[0] = x[2][0]; }",
                    {rows(dat(0, 3, OP_READ, 0), 2), dat(1, 1, OP_WRITE)}),
              ElementsAre("0: uses index 2 of 2 x 3 values"));
}

TEST(AccessFindings, ArgumentsAreCountedAsInTheCall) {
  EXPECT_THAT(found("void work(const double* const* x, double* y) { y[0] *= x[1][2]; }",
                    {rows(dat(0, 3, OP_READ, 0), 2), dat(1, 1, OP_INC)}),
              ElementsAre("1: assigns to it instead of adding"));
}

TEST(AccessFindings, AnArgumentThatIsNotUsed) {
  EXPECT_THAT(found("y[0] = 1;", dat(1, 1, OP_WRITE)), ElementsAre("0: does not use it"));
  EXPECT_THAT(found("(void)x; y[0] = 1;", dat(1, 1, OP_WRITE)), IsEmpty());
  EXPECT_THAT(
      found("void work(const double*, [[maybe_unused]] const int* i, double* y) { *y = 1; }",
            {dat(0, 4, OP_READ), element_number(), dat(1, 1, OP_WRITE)}),
      IsEmpty());
}

TEST(AccessFindings, TheNumberOfAnElementNeedNotBeUsed) {
  EXPECT_THAT(found("void work(const int* i, double* y) { *y = 1; }",
                    {element_number(), dat(1, 1, OP_WRITE)}),
              IsEmpty());
}

TEST(AccessFindings, HelpersAndTemplatesAreFollowed) {
  EXPECT_THAT(found("template <int n> void fill(double* p, double v) {\n"
                    "  for (int i = 0; i < n; ++i) p[i] = v;\n}\n"
                    "void work(const double* x, double* y) { fill<3>(y, *x); }",
                    {dat(0, 1, OP_READ), dat(1, 4, OP_WRITE)}),
              ElementsAre("1: writes only 3 of its 4 values"));
}

TEST(AccessFindings, TellThePlaceAndWhatToDo) {
  const auto findings =
      compiled("void work(const double* x,\n          double* y) {\n  y[0] = *x;\n}",
               {dat(0, 1, OP_READ), dat(1, 1, OP_INC, 0)})
          .findings;
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].file, "user.cpp");
  EXPECT_EQ(findings[0].line, 12);
  EXPECT_EQ(findings[0].column, 3);
  EXPECT_EQ(findings[0].source_line, "  y[0] = *x;");
  EXPECT_EQ(findings[0].advice, "add with += or -=");
}

TEST(AccessFindings, AnIncrementOfWhatIsWrittenIsToBeDeclaredSo) {
  const auto advice = [](const std::string& body) {
    const auto findings = compiled("void work(const double* x, double* y) {" + body + "}",
                                   {dat(0, 1, OP_READ), dat(1, 1, OP_WRITE, 0)})
                              .findings;
    return findings.size() == 1 ? findings[0].advice : "not one finding";
  };
  const std::string begin = "the value before counts: ";
  EXPECT_EQ(advice("*y -= *x;"),
            begin + "make it OP_INC if it is to be added to, else set it first");
  EXPECT_EQ(advice("*y = *y + *x;"), advice("*y -= *x;"));
  EXPECT_EQ(advice("*y *= *x;"), begin + "set it first, or make it OP_RW");
}

TEST(AccessFindings, NoneOfKernelsThatKeepTheirModes) {
  const std::vector<std::string> bodies{
      "y[0] = x[0]; y[1] = x[3];",
      "if (x[0] > 0) y[0] = 1; else y[0] = 2; y[1] = y[0];",
      "for (int i = 0; i < 2; ++i) y[i] = std::max(x[i], x[i + 2]);",
      "int i = 0; y[i++] = 1; y[i++] = x[i];",
      "int i = 0; y[i++] = 1; if (i == 1) y[1] = x[0];",
      "auto set = [&](int i) { y[i] = x[i]; }; set(0);",
      "const int n = int(x[0]); for (int i = 0; i < n; ++i) y[i] = 0;",
      "double* p = y; *p++ = x[0]; *p = x[1];",
      "y += 1; y[-1] = 1; y[0] = x[0];",
      "if (x[0] > 0) y[0] = 1; if (x[0] <= 0) y[0] = 2; y[1] = 0;",
      "if (y != nullptr && x) { y[0] = x[0]; y[1] = 1; }",
      "if (!y) return; y[0] = x[0]; y[1] = 1;",
      "y[0] = y[1] = x[0];",
      "double *p, *q = p = y; q[0] = x[0]; p[1] = 1;",
      "switch (int(x[0])) { case 1: y[0] = 1; y[1] = 2; break; default: y[0] = y[1] = 0; }",
      "int n = 0; int* p = &n; *p = 2; for (int i = 0; i < n; ++i) y[i] = x[0];",
      "if (x[0] > 0) y[0] = 1; else y[0] = -1; y[1] = x[0] > 0 ? 1 : 2;",
      "for (int j = 0, k = 0; j < 1; ++j) while (k < 2) y[k++] = x[0];",
      "const auto set = [](double& v) { v = 1; }; set(y[0]); double& last = y[1]; last = x[0];",
      "y[0] = x[0]; y[0] += y[0] * 2; y[1] = 0;",
      "constexpr bool wide = false; if (wide) y[7] = 1; y[0] = y[1] = x[0];",
      "for (int i = 0; i < 3; ++i) if (i < 2) y[i] = x[i];",
      "for (const double* p = x; p != x + 3; ++p) y[0] = y[1] = *p;",
      "int i, j = i = 0; y[i] = y[++j] = x[0];",
      "unsigned n = 0; for (unsigned i = 0; i < 2 && n - 1 > i; ++i) y[i] = x[0];"};
  for (const std::string& body : bodies)
    EXPECT_THAT(found(body, dat(1, 2, OP_WRITE)), IsEmpty()) << body;
  for (const char* body :
       {"y[0] += x[0]; ++y[1]; y[1] = y[1] + x[0] - 2;", "y[0] = x[1] + y[0]; y[0] -= 1;",
        "y[0] = fma(2.0, x[0], y[0]);", "y[1] = std::fma(x[0], x[1], y[1] - 1) + x[2];"})
    EXPECT_THAT(found(body, dat(1, 2, OP_INC, 0)), IsEmpty()) << body;
}

TEST(AccessFindings, NoneOfGlobalsThatSomeElementsSet) {
  EXPECT_THAT(found("if (x[0] > 5) y[0] = x[0];", global(1, OP_WRITE)), IsEmpty());
  EXPECT_THAT(found("if (x[0] > *y) *y = x[0];", global(1, OP_MAX)), IsEmpty());
}

TEST(AccessFindings, NoneOfArgumentsThatAreOff) {
  EXPECT_THAT(found("if (y) y[9] = x[0]; else (void)x[0];", off(dat(1, 1, OP_WRITE))), IsEmpty());
}

TEST(AccessFindings, WhatIsNotWrittenIsDistinguished) {
  const auto omission = [](const std::string& body) {
    return compiled("void work(const double* x, double* y) {" + body + "}",
                    {dat(0, 1, OP_READ), dat(1, 1, OP_WRITE)})
        .findings.at(0)
        .is_omission;
  };
  EXPECT_EQ(omission("if (*x > 0) *y = 1;"), 1);
  EXPECT_EQ(omission("*y += *x;"), 0);
}

TEST(AccessFindings, AreNotLookedForWhereTheyAreNotWanted) {
  CompileRequest asked = work("y[0] += x[0];");
  asked.units[0].compare_access = false;
  EXPECT_THAT(load()->compile(asked).findings, IsEmpty());
}

TEST(AccessFindings, LeaveTheCodeAsItIs) {
  CompileRequest asked = work("y[0] += x[0];");
  const auto compared = load()->compile(asked);
  asked.units[0].compare_access = false;
  EXPECT_EQ(compared.findings.size(), 1U);
  EXPECT_EQ(load()->compile(asked).object, compared.object);
}

}  // namespace
}  // namespace op2::jit::test
