// SPDX-License-Identifier: BSD-3-Clause
// What the source of a kernel proves: full writes of OP_WRITE, additions of OP_RW. What is only
// nearly so must not be taken for it.
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <support/loop_shapes.hpp>
#include <unit/jit/proof_support.hpp>

namespace op2::jit::test {
namespace {

using op2::test::dat;
using op2::test::global;
using op2::test::off;
using testing::IsEmpty;

bool writes_all(const std::string& body, int dim = 2, const std::string& helpers = "") {
  return of_y(body, dat(1, dim, OP_WRITE, 0), helpers).writes_all;
}

/// Why it is not proven that y of dim 2 is written.
std::string missing(const std::string& body) {
  const ArgumentFacts facts = of_y(body, dat(1, 2, OP_WRITE));
  EXPECT_FALSE(facts.writes_all) << body;
  return facts.why;
}

bool only_adds(const std::string& body, const std::string& helpers = "",
               const char* type = "double", Type of = Type::f64) {
  return of_y(body, dat(1, 2, OP_RW, 0, of), helpers, type).only_adds;
}

/// What is executed only sometimes, or not at all, although it looks as if it were.
TEST(AccessProof, WhatMayNotBeExecutedProvesNothing) {
  for (const char* body :
       {"do { if (x[0] > 0) break; } while ((y[0] = 1.0) < 0);",
        "int i = 0; while (int go = (i++ < 1)) (void)go; if (i) return; y[0] = x[0];",
        "for (int i = 0; int go = (i++ < 1);) (void)go; y[0] = x[0];",
        "int i = 0; (int)x[0] ?: (i = 1); if (i) y[0] = 1;",
        "int n = 0; (void)_Generic(1, int: 0, double: (int)(n = 1)); if (n) y[0] = 1;",
        "int n = 0; __builtin_assume((int)(n = 1)); if (n) y[0] = 1;",
        "(void)__builtin_constant_p(y[0] = 1);", "({ if (x[0] > 0) return; 0; }); y[0] = 1;",
        "const int n = __builtin_is_constant_evaluated() ? 0 : 1; if (n) y[0] = 1;",
        "for (int k = 0; k < 1; ++k) { double t = ({ if (x[0] > 0) break; 1.0; }); y[0] = t; }",
        "int n = 1; double t[n--]; t[0] = 1; if (n) y[0] = t[0]; else y[0] = 2;",
        "int i = 1; (void)sizeof(double[i--]); y[0] = i;",
        "unsigned _BitInt(2) i = 3; ++i; if (i) y[0] = 1;"})
    EXPECT_FALSE(writes_all(body, 1)) << body;
  EXPECT_FALSE(writes_all("E e = (E)2; if ((int)e == 2) y[0] = 1;", 1, "enum E : bool {};"));
}

TEST(AccessProof, ZerosAreProven) {
  const auto leaves_zero = [](const char* body, op_access access = OP_RW) {
    return of_y(body, dat(1, 2, access)).leaves_zero;
  };
  EXPECT_TRUE(leaves_zero("for (int k = 0; k < 2; ++k) y[k] = 0;"));
  EXPECT_TRUE(leaves_zero("y[0] = 0.0f; y[1] = 0 * 7;", OP_WRITE));
  EXPECT_TRUE(leaves_zero("if (y[0] > x[0]) { y[0] = 0; y[1] = 0; } else { y[1] = 0; y[0] = 0; }"));
  for (const char* body :
       {"y[0] = 0;", "y[0] = 0; y[1] = -0.0;", "y[0] = 0; y[1] = x[0] - x[0];",
        "y[0] = 0; if (x[0] > 0) y[1] = 0;", "y[0] = 0; y[1] = 0; y[0] += x[0];",
        "y[0] = 1; y[1] = 0; y[0] = 0;", "y[0] = 0; y[1] = 0; if (x[0] > 0) y[1] = x[0];",
        "if (x[0] > 0) return; y[0] = 0; y[1] = 0;", "y[0] = 0; y[1] *= 0;",
        "double* p = x[0] > 0 ? y : y + 1; *p = 0; y[0] = 0;"})
    EXPECT_FALSE(leaves_zero(body)) << body;
}

TEST(AccessProof, CalleesAndReferencesMayDoAnything) {
  const std::string pair =
      "double f0(double a) { return a; } double f1(double a) { return -a; }\n"
      "typedef double (*F)(double);\n";
  EXPECT_FALSE(writes_all("const F t[2] = {f0, f1}; y[0] = t[y[0] > 6](x[0]);", 1, pair));
  EXPECT_FALSE(
      writes_all("int i = 1; const F t[2] = {f0, f1}; t[i--](x[0]); if (i) y[0] = 1;", 1, pair));
  EXPECT_FALSE(writes_all("int n = 1; (n = 0, f0)(x[0]); if (n) y[0] = 1;", 1, pair));
  EXPECT_FALSE(writes_all("y[0] = 1; for (int i = 1; i < 3; ++i) y[i] = at(y[0], i) + 1;", 3,
                          "double at(const double& first, int i) { return (&first)[i]; }"));
  EXPECT_FALSE(only_adds("y[0] = fma(2, 3, (int)y[0]);",
                         "static inline int fma(int a, int b, int c) { return a > c ? b : c; }"));
  EXPECT_FALSE(only_adds("long** q = (long**)&y; q[0][0] += 1;"));
}

/// Where increments go to copies, pointers to one row differ.
TEST(AccessProof, WhetherPointersAreEqualMustNotMatter) {
  const std::vector<ParameterShape> shapes{dat(0, 1, OP_RW, 0), dat(0, 1, OP_RW, 1)};
  const auto add = [&](const std::string& condition) {
    const auto facts = facts_of(
        "void work(double* l, double* r) { if (" + condition + ") return; *l += 1; *r += 2; }",
        shapes);
    return facts[0].only_adds && facts[1].only_adds;
  };
  for (const char* condition : {"l == r", "l < r", "&l[0] != &r[0]", "!(l != r)", "l - r == 0"})
    EXPECT_FALSE(add(condition)) << condition;
  EXPECT_TRUE(add("l == nullptr"));
  EXPECT_TRUE(add("!l || r == 0"));
}

TEST(AccessProof, AFullWriteIsProven) {
  for (const char* body :
       {"y[0] = x[0]; y[1] = x[1];", "for (int i = 0; i < 2; ++i) y[i] = x[i];",
        "if (x[0] > 0) { y[0] = 1; y[1] = 2; } else { y[1] = 0; y[0] = y[1]; }",
        "y[0] = y[1] = 0; if (x[0] > 0) y[0] += y[1];", "double* p = y + 1; *p = 1; p[-1] = *p;",
        "double& r = y[0]; r = 1; y[1] = r;",
        "y[0] = 1; if (x[0] < 0) { y[1] = 2; return; } y[1] = 3;",
        "int i = 0; do { y[i] = 0; ++i; } while (i < 2);",
        "if (x[0] > 0) y[0] = 1; y[0] = 2; y[1] = 3;"})
    EXPECT_TRUE(writes_all(body)) << body;
}

TEST(AccessProof, AWriteOnSomePathsIsNot) {
  EXPECT_EQ(missing("if (x[0] > 0) { y[0] = 1; y[1] = 2; }"), "writes it only on some paths");
  EXPECT_EQ(missing("y[0] = 1; if (x[0] > 0) y[1] = 2;"),
            "writes only 1 of its 2 values on every path");
  for (const char* body :
       {"y[0] = 1; if (x[0] < 0) return; y[1] = 3;",
        "for (int i = 0; i < (int)x[0]; ++i) y[i] = 0;", "y[0] = 1; x[0] > 0 && (y[1] = 2) > 0;",
        "x[0] > 0 ? (y[0] = y[1] = 1) : 0;",
        "y[0] = 1; for (int i = 0; i < 4; ++i) { if (x[i] > 1) break; y[1] = 1; }",
        "y[0] = 1; double t = (x[0] > 0 ? (y[1] = 1, 2.0) : 3.0); (void)t;",
        "y[0] = 1; (void)noexcept(y[1] = 2);", "y[0] = 1; (void)sizeof(y[1] = 2);",
        "y[0] = 1; while (x[0] > 3) { y[1] = 1; }",
        "y[0] = 1; if (x[0] > 0) { y[1] = 0; } else {}"})
    EXPECT_FALSE(writes_all(body)) << body;
}

TEST(AccessProof, AReadBeforeTheWriteIsNot) {
  EXPECT_EQ(missing("y[1] = y[0]; y[0] = 1;"), "may read it before writing it");
  for (const char* body :
       {"y[0] += 1; y[1] = 2;", "if (x[0] > 0) y[0] = 1; double t = y[0]; y[0] = y[1] = t;",
        "y[0] = 0; for (int i = 0; i < 2; ++i) { y[0] += y[1 - i]; y[1] = 1; }",
        "y[(int)x[0]] = 1; double t = y[0]; y[0] = y[1] = t;",
        "y[0] = 1; y[(int)y[1]] = 1; y[1] = 1;",
        "y[1] = 0; int i = 0; do { if (x[i] > 2) break; y[1] += y[i++]; } while (i < 2); y[0] = "
        "0;"})
    EXPECT_FALSE(writes_all(body)) << body;
}

TEST(AccessProof, UnknownIndicesProveNothing) {
  for (const char* body : {"int i = (int)x[0]; y[i] = 1; y[1 - i] = 2;",
                           "int i = 0; while (i++ < (int)x[0]) {} y[i - 1] = 1; y[i] = 2;",
                           "int i = 0; int& r = i; r = 1; y[0] = 1; y[i] = 1;",
                           "int i = 0; int& r = (i = 1); r = 0; y[0] = 1; y[i] = 1;",
                           "int i = 1; if (x[0] > 0) i = 0; y[0] = 1; y[i] = 1;",
                           "static int i = 0; y[i] = 1; y[1 - i] = 1; i = 1; y[i] = 2;",
                           "y[0] = 0; y[(unsigned char)257 - 256] = 1;"})
    EXPECT_FALSE(writes_all(body)) << body;
}

TEST(AccessProof, ASwitchIsFollowed) {
  EXPECT_TRUE(
      writes_all("switch ((int)x[0]) { case 0: y[0] = y[1] = 1; break;"
                 " case 1: y[0] = 2; y[1] = 3; break; default: y[0] = y[1] = 0; }"));
  for (const char* body :
       {"y[0] = 1; switch ((int)x[0]) { case 0: y[1] = 1; break; case 1: y[1] = 2; }",
        "y[0] = 1; switch ((int)x[0]) { case 0: y[1] = 1; case 1: break; default: y[1] = 2; }",
        "y[0] = 1; switch ((int)x[0]) { case 0: y[1] = 1; break; default: y[0] = y[1]; y[1] = 0; }",
        "int i = 0; y[0] = 1; switch ((int)x[0]) { case 0: i = 1; y[1] = 1; break; default: y[i] = "
        "1; }",
        "y[0] = 1; switch ((int)x[0]) { case 0: y[1] = 2; break; while (true) { default: break; } "
        "}"})
    EXPECT_FALSE(writes_all(body)) << body;
}

TEST(AccessProof, JumpsProveNothing) {
  EXPECT_FALSE(writes_all("if (x[0] > 0) goto end; y[0] = y[1] = 1; end: return;"));
  EXPECT_FALSE(only_adds("y[0] += 1; if (x[0] > 0) goto end; y[0] += 1; end: return;"));
}

TEST(AccessProof, HelpersAreFollowed) {
  const std::string helper =
      "static void put(double* p, int n) { for (int i = 0; i < n; ++i) p[i] = 1; }"
      "static void add(double& v, double e) { v += e; }"
      "static void some(double* p, double x) { if (x > 0) return; p[0] = 1; }";
  EXPECT_TRUE(writes_all("put(y, 2);", 2, helper));
  EXPECT_TRUE(writes_all("put(y, 1); put(y + 1, 1);", 2, helper));
  EXPECT_FALSE(writes_all("put(y, 1);", 2, helper));
  EXPECT_FALSE(writes_all("some(y, x[0]);", 1, helper));
  EXPECT_TRUE(only_adds("add(y[0], x[0]); add(y[1], 2);", helper));
}

TEST(AccessProof, UnknownFunctionsProveNothing) {
  const std::string helper =
      "double* same(double* p) { return p; } double& at(double* p) { return p[0]; }"
      "double sum(double* p, int n) { return n == 0 ? 0 : *p + sum(p + 1, n - 1); }";
  for (const char* body : {"y[0] = y[1] = 1; same(y)[0] = 2;", "at(y) = 1; y[0] = y[1] = 0;",
                           "y[0] = sum(y, 2); y[1] = 0;", "double* p = same(y); p[0] = p[1] = 1;",
                           "auto f = [&](int i) { y[i] = 0; }; f(0); f(1);"})
    EXPECT_FALSE(writes_all(body, 2, helper)) << body;
  for (const char* body : {"y[0] += 1; same(y)[0] = 2;", "y[0] += 1; at(y) = 1;",
                           "y[0] += 1; auto f = [&] { y[0] = 0; }; f();"})
    EXPECT_FALSE(only_adds(body, helper)) << body;
}

TEST(AccessProof, AllRowsOfAVectorArgumentMustBeWritten) {
  const auto proven = [](const std::string& body) {
    return facts_of("void work(double** y) {" + body + "}", {{dat(1, 2, OP_WRITE, 0), 3}})[0]
        .writes_all;
  };
  EXPECT_TRUE(proven("for (int r = 0; r < 3; ++r) y[r][0] = y[r][1] = 1;"));
  EXPECT_TRUE(proven("for (int r = 0; r < 3; ++r) { double* p = y[r]; p[0] = 1; p[1] = p[0]; }"));
  EXPECT_FALSE(proven("for (int r = 0; r < 2; ++r) y[r][0] = y[r][1] = 1;"));
  EXPECT_FALSE(proven("y[0] = y[1]; for (int r = 0; r < 3; ++r) y[r][0] = y[r][1] = 1;"));
}

TEST(AccessProof, AdditionsAreProven) {
  for (const char* body :
       {"y[0] += x[0]; y[1] -= x[1];", "y[0] = y[0] + x[0];", "y[0] = x[0] + y[0];",
        "y[0] = y[0] - x[0];", "y[1] = y[1] + x[0] * x[1] - x[2];", "++y[0]; y[1]--;",
        "if (x[0] > 0) y[0] += 1; else y[1] -= 2;", "for (int i = 0; i < 2; ++i) y[i] += x[i];",
        "for (int i = 0; i < (int)x[0]; ++i) y[i] += x[i];", "y[(int)x[0]] += 1;",
        "double& r = y[1]; r += 3;", "double* p = y; p[0] += std::sqrt(x[0]);",
        "y[0] = y[0] + std::sqrt(x[0]);", "y[0] = std::fma(x[0], x[1], y[0]);", "*y += 1; (void)y;",
        "y[0] = -x[0] + y[0];"})
    EXPECT_TRUE(only_adds(body)) << body;
}

TEST(AccessProof, NearAdditionsAreNot) {
  for (const char* body : {"y[0] = 2 * y[0] + x[0];",
                           "y[0] = y[0] + y[0];",
                           "y[0] = x[0] - y[0];",
                           "y[0] += y[0];",
                           "y[0] += y[1];",
                           "y[0] += 1; y[1] = y[0];",
                           "if (y[0] < 5) y[0] += x[0];",
                           "y[0] *= 2;",
                           "double t = y[0]; y[0] += t;",
                           "y[0] = y[0] + x[0]; y[0] = 0;",
                           "y[0] = y[1] + x[0];",
                           "double t = y[0] += x[0]; (void)t;",
                           "double t = y[0]++; (void)t;",
                           "y[0] = x[0];",
                           "y[0] = -y[0] + x[0];",
                           "y[0] = x[0] - (y[0] - 1);",
                           "y[0] = (y[0] + x[0]) * 1;",
                           "y[0] = (float)(y[0] + x[0]);",
                           "y[0] = std::max(y[0] + x[0], 0.0);",
                           "y[0] = std::fma(y[0], 2.0, x[0]);",

                           "",
                           "while (y[0] < 3) y[0] += 1;",
                           "y[0] += x[0] > 0 ? y[1] : 1;",
                           "y[(int)y[1]] += 1;",
                           "int i = 0; y[i++] = y[i++] + 1;",
                           "if (++y[0] > 3) y[1] += 1;"})
    EXPECT_FALSE(only_adds(body)) << body;
}

/// The sum that a statement makes is also kept or passed on, so the values before count.
TEST(AccessProof, ASumThatIsUsedIsRead) {
  const std::string helpers =
      "double kept(double& v, double e) { return v = v + e; }\n"
      "void pass(double from, double& to) { to = from; }\n"
      "double same(double v) { return v; }\n";
  for (const char* body : {"double t = y[0] = y[0] + x[0]; (void)t;",
                           "double t; t = y[0] = y[0] + x[0]; (void)t;",
                           "double t = (y[0] = (y[0] + x[0])); (void)t;",
                           "const double t = y[1] = x[0] + y[1]; y[0] += t;",
                           "if ((y[0] = y[0] + 1) > 3) y[1] += 1;",
                           "while ((y[0] = y[0] + 1) < 3) {}",
                           "double t = x[0] > 0 ? y[0] = y[0] + 1 : 0.0; (void)t;",
                           "double t = (x[0], y[0] = y[0] + 1); (void)t;",
                           "double t = y[0] = std::fma(x[0], x[1], y[0]); (void)t;",
                           "double t = same(y[0] = y[0] + 1); (void)t;",
                           "double t = kept(y[0], x[0]); (void)t;",
                           "double t; pass(y[0] = y[0] + 1, t);",
                           "double& r = y[0]; double t = r = r + x[0]; (void)t;",
                           "double* p = y; double t = *p = *p - x[0]; (void)t;",
                           "double& r = (y[0] = y[0] + 1); double t = r; (void)t;",
                           "const double& r = y[0] = y[0] + 1; double t = r; (void)t;",
                           "y[1] = y[1] + (y[0] = y[0] + 1);",
                           "y[1] += y[0] = y[0] + 1;",
                           "y[1] = y[0] = y[0] + x[0];",
                           "int i = y[0] = y[0] + 1; y[1] += i;",
                           "bool b = y[0] = y[0] + 1; y[1] += b;",
                           "auto f = [&] { return y[0] = y[0] + 1; }; f();",
                           "double t[1] = {y[0] = y[0] + 1}; (void)t;",
                           "struct S { double d; } s{y[0] = y[0] + 1}; y[1] += s.d;",
                           "double t = x[(int)(y[0] = y[0] + 1)]; (void)t;",
                           "switch ((int)(y[0] = y[0] + 1)) { default: y[1] += 1; }",
                           "for (int i = 0; (y[0] = y[0] + 1) < i; ++i) {}",
                           "double t = -(y[0] += 1); (void)t;",
                           "double t = y[0] -= x[0]; (void)t;",
                           "double t = ++y[0]; (void)t;",
                           "double t = y[0]--; (void)t;",
                           "double t; t = (x[0], ++y[0]); (void)t;"})
    EXPECT_FALSE(only_adds(body, helpers)) << body;
  for (const char* body : {"(void)(y[0] = y[0] + x[0]);", "(y[0] = y[0] + 1), (y[1] += 2);",
                           "(void)++y[0];", "if (x[0] > 0) (y[0] -= 1);"})
    EXPECT_TRUE(only_adds(body)) << body;
  EXPECT_TRUE(writes_all("double t = y[0] = x[0]; y[1] = t;"));
  EXPECT_FALSE(writes_all("double t = y[0] = y[0] + x[0]; y[1] = t;"));
}

/// What a function returns a reference to may be changed through it.
TEST(AccessProof, ChangesThroughReturnedReferencesAreSeen) {
  const auto leaves_zero = [](const std::string& body) {
    return of_y("y[0] = y[1] = 0; " + body, dat(1, 2, OP_RW)).leaves_zero;
  };
  EXPECT_FALSE(leaves_zero("const_cast<double&>(std::min(y[0], x[0])) = 5;"));
  EXPECT_FALSE(leaves_zero("auto& r = const_cast<double&>(std::max(y[0], y[1])); r = 5;"));
  EXPECT_FALSE(leaves_zero("double* p = (double*)&std::max(y[0], y[1]); *p = 5;"));
  EXPECT_TRUE(writes_all("y[0] = 1; y[1] = std::max(std::min(y[0], x[0]), x[1]);"));
}

TEST(AccessProof, ChangesBehindNamesAreSeen) {
  for (const char* body :
       {"double& r = (y[0] += 1); r = 5;", "*&(y[0] += 1) = 3;", "(y[0] += 1) *= 2;",
        "double* p = &(y[0] += 1); *p = 2;", "(x[0] > 0 ? y[0] += 1 : y[1] += 1) = 3;",
        "y[0] += 1; double* p; p = y; *p = 4;",
        "double t[2]; y[0] += 1; double* p = t; for (int i = 0; i < (int)x[0]; ++i) { *p = 3; p = "
        "y; }",
        "y[0] += 1; double* p = x[0] > 0 ? y : y + 1; *p = 2;",
        "y[0] += 1; double* p = y; double** q = &p; **q = 3;",
        "y[0] += 1; struct S { double* p; } s{y}; s.p[0] = 3;",
        "y[0] += 1; double* rows[1] = {y}; rows[0][0] = 3;",
        "y[0] += 1; for (double* p : {y}) *p = 3;", "y[0] += 1; reinterpret_cast<long*>(y)[0] = 3;",
        "y[0] += 1; static double* p = y; *p = 1;", "y[0] += 1; __builtin_memset(y, 0, 8);",
        "y[0] += 1; while (double* p = x[0] > 0 ? y : nullptr) { *p = 3; }",
        "y[0] += 1; std::swap(y[0], y[1]);", "y[0] += 1; asm volatile(\"\" : : \"r\"(y));"})
    EXPECT_FALSE(only_adds(body)) << body;
}

TEST(AccessProof, ReadsInsideIndicesAreSeen) {
  EXPECT_FALSE(only_adds("double t = x[(int)y[0]]; y[0] += t;"));
  EXPECT_FALSE(only_adds("const double* p = x + (int)y[0]; y[0] += *p;"));
  EXPECT_FALSE(only_adds("const double& r = x[(int)y[0]]; y[0] += r;"));
  EXPECT_FALSE(
      only_adds("y[0] += at(x + (int)y[1]);", "double at(const double* p) { return *p; }"));
}

TEST(AccessProof, IntegersAreAddedToAsIntegers) {
  EXPECT_TRUE(only_adds("y[0] += 2; y[1] = y[1] - 1;", "", "int", Type::i32));
  EXPECT_TRUE(only_adds("y[0] += 5L; ++y[1];", "", "int", Type::i32));
  EXPECT_FALSE(only_adds("y[0] += 0.5;", "", "int", Type::i32));
  EXPECT_FALSE(only_adds("y[0] = y[0] + 0.5;", "", "int", Type::i32));
  EXPECT_FALSE(only_adds("y[0] = y[0] + (int)1;", "", "long", Type::i64) &&
               only_adds("y[0] -= true;", "", "bool", Type::b8));
  EXPECT_FALSE(only_adds("y[0] += true;", "", "bool", Type::b8));
  EXPECT_TRUE(only_adds("y[0] += x[0];", "", "float", Type::f32));
}

TEST(AccessProof, ObstaclesHaveAPlace) {
  const ArgumentFacts facts = of_y("y[0] = 1;\nif (x[0] > 0)\n  y[1] = 2;", dat(1, 2, OP_WRITE));
  EXPECT_EQ(facts.file, "user.cpp");
  EXPECT_EQ(facts.line, 12);
  const ArgumentFacts sum = of_y("y[0] += 1;\nif (y[1] > 0) y[0] += 2;", dat(1, 2, OP_RW));
  EXPECT_EQ(sum.why, "also reads it");
  EXPECT_EQ(sum.line, 13);
}

TEST(AccessProof, OnlyDatsThatAskForFactsHaveAny) {
  EXPECT_THAT(facts_of("void work(const double* x, double* y) { *y += *x; }",
                       {dat(0, 1, OP_READ), global(1, OP_INC)}),
              IsEmpty());
  const auto facts = facts_of("void work(double* x, double* y) { *x = *y = 1; }",
                              {dat(0, 1, OP_WRITE), global(1, OP_WRITE)});
  EXPECT_TRUE(facts[0].writes_all);
  EXPECT_EQ(facts[1], ArgumentFacts{});
}

TEST(AccessProof, AnArgumentThatIsOffMayBeNull) {
  const std::string text =
      "void work(const double* x, double* y) { y[0] = 1; if (x != nullptr) y[1] = *x; }";
  EXPECT_TRUE(facts_of(text, {dat(0, 1, OP_READ), dat(1, 2, OP_WRITE)})[1].writes_all);
  EXPECT_FALSE(facts_of(text, {off(dat(0, 1, OP_READ)), dat(1, 2, OP_WRITE)})[1].writes_all);
}

TEST(AccessProof, ASourceInErrorProvesNothing) {
  EXPECT_THAT(facts_of("void work(double* y) { y[0] = 1 }", {dat(0, 1, OP_WRITE)}), IsEmpty());
  EXPECT_THAT(facts_of("void other(double* y) { y[0] = 1; }", {dat(0, 1, OP_WRITE)}), IsEmpty());
}

TEST(AccessProof, AKernelThatIsTooLongProvesNothing) {
  const std::string turns =
      "for (int i = 0; i < 300; ++i) for (int j = 0; j < 300; ++j) t += i * j;";
  EXPECT_FALSE(writes_all("int t = 0;" + turns + "y[0] = y[1] = t;"));
}

TEST(AccessProof, AKernelThatWasProvenIsNotParsedAgain) {
  const auto backend = load();
  CompileRequest asked = proof_request(
      "void work(double* y) { *y = 1; }\nextern \"C\" void __op2_kernel(void* p) { "
      "::work((double*)p); }",
      {dat(0, 1, OP_WRITE)});
  EXPECT_TRUE(backend->compile(asked).facts.at(0).writes_all);
  asked.only_facts = false;
  CompileUnit& loop = asked.units.emplace_back();
  loop.source =
      "extern \"C\" void __op2_kernel0(void*);\nextern \"C\" void op2_range_work(long, long, "
      "const void*) { __op2_kernel0(nullptr); }\n";
  const CompileResult result = backend->compile(asked);
  EXPECT_EQ(result.status, CompileStatus::ok) << result.message;
  EXPECT_EQ(result.parsed, 1) << "the loop";
}

}  // namespace
}  // namespace op2::jit::test
