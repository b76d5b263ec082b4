// SPDX-License-Identifier: BSD-3-Clause
// Which sources prove that a kernel takes only minima, or only maxima. What is only nearly so must
// not be taken for it: tests/api/extreme_rows_test.cpp executes such kernels.
#include <string>

#include <gtest/gtest.h>

#include <support/loop_shapes.hpp>
#include <unit/jit/proof_support.hpp>

namespace op2::jit::test {
namespace {

using op2::test::dat;

ArgumentFacts of(const std::string& body, const std::string& helpers = "",
                 const char* type = "double", Type value = Type::f64) {
  return of_y(body, dat(1, 2, OP_RW, 0, value), helpers, type);
}

void expect_lowers(const std::string& body, const std::string& helpers = "",
                   const char* type = "double", Type value = Type::f64) {
  const ArgumentFacts facts = of(body, helpers, type, value);
  EXPECT_TRUE(facts.only_lowers) << body << "\n" << helpers;
  EXPECT_FALSE(facts.only_raises || facts.only_adds || facts.writes_all) << body;
  EXPECT_EQ(facts.why, "") << body;
}

void expect_raises(const std::string& body, const std::string& helpers = "") {
  const ArgumentFacts facts = of(body, helpers);
  EXPECT_TRUE(facts.only_raises && !facts.only_lowers) << body << "\n" << helpers;
}

void expect_neither(const std::string& body, const std::string& helpers = "",
                    const char* type = "double", Type value = Type::f64) {
  const ArgumentFacts facts = of(body, helpers, type, value);
  EXPECT_FALSE(facts.only_lowers || facts.only_raises) << body << "\n" << helpers;
  EXPECT_NE(facts.why, "") << body;
}

TEST(AccessExtremes, AreProvenInTheFormsOfTheLanguage) {
  for (const char* body : {"y[0] = x[0] < y[0] ? x[0] : y[0];", "y[0] = y[0] < x[0] ? y[0] : x[0];",
                           "*y = x[0] > *y ? *y : x[0];", "*y = *y >= x[0] ? x[0] : *y;",
                           "if (x[0] < y[1]) y[1] = x[0];", "if (y[1] >= x[0]) { y[1] = x[0]; }",
                           "if (x[0] <= *(y + 1)) (*(y + 1)) = (x[0]);",
                           "const double t = x[0] * x[1]; y[0] = t < y[0] ? t : y[0];",
                           "for (int k = 0; k < 2; ++k) if (x[k] < y[k]) y[k] = x[k];",
                           "if (x[0] > 0) { y[0] = x[1] + 1 < y[0] ? x[1] + 1 : y[0]; return; } "
                           "y[1] = y[1] < 3.0 ? y[1] : 3.0;",
                           "(void)(y[0] = x[0] < y[0] ? x[0] : y[0]), (void)0; (void)y;"})
    expect_lowers(body);
  for (const char* body : {"y[0] = x[0] > y[0] ? x[0] : y[0];",
                           "y[0] = y[0] <= x[0] ? x[0] : y[0];", "if (y[0] < x[0]) y[0] = x[0];",
                           "if (x[0] > y[0]) y[0] = x[0]; if (x[1] > y[0]) y[0] = x[1];"})
    expect_raises(body);
}

/// Calls of objects: their arguments do not stand where their parameters do.
TEST(AccessExtremes, AreNotProvenThroughLambdasAndMembers) {
  const std::string limit = " if (100.0 < y[0]) y[0] = 100.0;";
  expect_neither(
      "double t[2] = {0, 0}; const auto put = [](double* sum, double* least, const double* v) { "
      "sum[0] += v[0]; if (v[0] < least[0]) least[0] = v[0]; }; put(y, t, x);" +
      limit);
  const std::string adder =
      "struct Adder { void put(double* sum, double* least, const double* v) const {"
      " sum[0] += v[0]; if (v[0] < least[0]) least[0] = v[0]; }"
      " void operator()(double* sum, double* least, const double* v) const { put(sum, least, v); } "
      "};";
  expect_neither("double t[2] = {0, 0}; Adder().put(y, t, x);" + limit, adder);
  expect_neither("double t[2] = {0, 0}; Adder{}(y, t, x);" + limit, adder);
  expect_neither("double t[2] = {0, 0}; Adder a; a.put(t, y, x);" + limit, adder);
}

TEST(AccessExtremes, AreProvenInTheFunctionsOfTheLibrary) {
  for (const char* body : {"y[0] = std::min(y[0], x[0]);", "y[0] = std::min(x[0], y[0]);",
                           "y[0] = fmin(y[0], sqrt(x[0]));", "y[0] = std::fmin(2 * x[0], y[0]);",
                           "y[0] = __builtin_fmin(x[0], y[0]);", "*y = std::min<double>(x[0], *y);",
                           "y[0] = std::min(std::min(x[0], y[0]), x[1]);",
                           "y[1] = std::min(y[1], std::max(x[0], x[1]));",
                           "for (int k = 0; k < 2; ++k) y[k] = std::min(y[k], x[k]);",
                           "for (int k = 0; k < (int)x[0]; ++k) y[k] = std::min(y[k], x[k]);"})
    expect_lowers(body);
  expect_raises("y[0] = std::max(y[0], x[0]); y[1] = fmax(x[0], y[1]);");
}

TEST(AccessExtremes, AreProvenOfAllTypes) {
  expect_lowers("y[0] = std::min(y[0], (int)x[0]);", "", "int", Type::i32);
  expect_lowers("const unsigned u = 3; if (u < y[0]) y[0] = u;", "", "unsigned", Type::u32);
  expect_lowers("const long n = (long)x[0]; y[0] = n < y[0] ? n : y[0];", "", "long", Type::i64);
  expect_lowers("const float f = (float)x[0]; y[0] = fminf(y[0], f); y[1] = std::fmin(f, y[1]);",
                "", "float", Type::f32);
}

TEST(AccessExtremes, AreProvenInFunctionsThatGetPointersOrReferences) {
  const char* helper =
      "static void lower(double* to, double v) { if (v < *to) *to = v; }\n"
      "static inline void lower_ref(double& to, double v) { to = std::min(to, v); }\n"
      "template <class T> void both(T* to, const T* from) { for (int k = 0; k < 2; ++k) lower(to + "
      "k, from[k]); }";
  expect_lowers("lower(y, x[0]); lower(&y[1], x[1]); lower(y + 1, 3);", helper);
  expect_lowers("lower_ref(y[0], x[0]); lower_ref(*y, x[1]);", helper);
  expect_lowers("both(y, x);", helper);
  expect_lowers("lower_root(y + (int)x[0], x[1]);",
                "void lower_root(double* to, double v) { *to = std::min(*to, std::sqrt(v)); }");
}

/// The value of the assignment, or what is compared, is used elsewhere.
TEST(AccessExtremes, AreRefusedWhereTheValueIsUsed) {
  for (const char* body :
       {"double t = y[0] = x[0] < y[0] ? x[0] : y[0]; (void)t;",
        "y[1] = y[0] = x[0] < y[0] ? x[0] : y[0];",
        "if ((y[0] = std::min(y[0], x[0])) > 0) y[1] = std::min(y[1], x[0]);",
        "y[0] = std::min(y[0], x[0]); y[1] = std::min(y[1], y[0]);",
        "y[0] = std::min(y[0], x[0]), y[0] > 0 ? (void)(y[1] = std::min(y[1], x[0])) : (void)0;",
        "x[0] < y[0] ? y[0] = x[0] : x[0];", "x[0] < y[0] && (y[0] = x[0], true);",
        "if (x[0] < y[0]) { y[0] = x[0]; y[1] = std::min(y[1], 1.0); }",
        "if (x[0] < y[0]) y[0] = x[0]; else y[1] = std::min(y[1], x[0]);",
        "if (x[0] < y[0] || x[0] > 3) y[0] = x[0];", "if (!(x[0] >= y[0])) y[0] = x[0];",
        "const double old = y[0]; y[0] = std::min(y[0], x[0]); y[1] = std::min(y[1], old);",
        "double& r = y[0]; r = std::min(r, x[0]);", "double* p = y; *p = std::min(*p, x[0]);",
        "double& r = y[0] = std::min(y[0], x[0]); r = 2;", "while (x[0] < y[0]) y[0] = x[0];",
        "auto f = [&] { y[0] = std::min(y[0], x[0]); }; f();",
        "auto f = [y, x] { return y[0] = std::min(y[0], x[0]); }; f();",
        "return (void)(y[0] > 0), (void)(y[0] = std::min(y[0], x[0]));"})
    expect_neither(body);
}

/// The other value depends on the first, or on what comes from it.
TEST(AccessExtremes, AreRefusedWhereTheOtherValueDependsOnIt) {
  for (const char* body :
       {"y[0] = std::min(y[0], x[0] + y[0]);", "y[0] = std::min(y[0], y[1]);",
        "y[0] = y[0] / 2 < y[0] ? y[0] / 2 : y[0];", "y[(int)y[1]] = std::min(y[0], x[0]);",
        "y[0] = std::min(y[0], x[(int)y[0]]);",
        "for (int k = 0; k < y[0]; ++k) y[0] = std::min(y[0], x[k]);",
        "y[0] = std::min(y[0], y[0]);", "y[0] = x[0] < y[0] ? x[0] : y[1];",
        "int k = 0; y[k] = std::min(y[k], x[k++]);",
        "y[(int)x[0]] = std::min(y[(int)x[0]], (const_cast<double*>(x)[0] = 1, 2.0));",
        "int k = 0; y[k++] = std::min(y[k], x[0]);", "y[0] = y[1] < x[0] ? y[1] : x[0];"})
    expect_neither(body);
}

TEST(AccessExtremes, AreRefusedWhereSomethingElseIsTaken) {
  for (const char* body : {"y[0] = x[0] < y[0] ? x[1] : y[0];",
                           "y[0] = x[0] < y[0] ? y[0] : x[1];",
                           "if (x[0] < y[0]) y[0] = x[1];",
                           "if (x[0] < y[1]) y[0] = x[0];",
                           "if (x[0] == y[0]) y[0] = x[0];",
                           "if (x[0] != y[0]) y[0] = x[0];",
                           "y[0] = std::min(y[0], x[0]); y[0] = std::max(y[0], x[1]);",
                           "y[0] = std::min(y[0], x[0]); y[1] = std::max(y[1], x[1]);",
                           "y[0] = std::min(y[0], x[0]); y[0] += 1;",
                           "y[0] = std::min(y[0], x[0]); ++y[1];",
                           "y[0] = -std::min(y[0], x[0]);",
                           "y[0] = std::min(2 * y[0], x[0]);",
                           "y[0] = std::min(y[0], x[0]); y[1] = 3;",
                           "y[0] = std::max(std::min(y[0], x[0]), x[1]);",
                           "y[0] = (float)std::min(y[0], x[0]);",
                           "float f = 1; y[0] = std::min((float)y[0], f);",
                           "y[0] = std::min({y[0], x[0]});",
                           "y[0] = std::clamp(y[0], x[0], x[1]);",
                           "y[0] = std::min(y[0], x[0], [](double a, double b) { return b < a; });",
                           "y[0] = x[0] < y[0] ? x[0] : y[0] + 0;"})
    expect_neither(body);
  expect_neither("y[0] = min(y[0], x[0]);", "double min(double a, double b) { return a + b; }");
  expect_neither("lower(y, x[0]);",
                 "double lower(double* to, double v) { return *to = v < *to ? v : *to; }");
  expect_neither("lower(y, y + 1);",
                 "static void lower(double* to, double* v) { if (*v < *to) *to = *v; }");
  expect_neither("lower(y, 2);",
                 "static void lower(double* to, double v) { if (v < *to) *to = v; to[1] = *to; }");
}

/// Compared in another type, a value could be taken that is not less, or rounded after.
TEST(AccessExtremes, AreRefusedWhereTypesDiffer) {
  expect_neither("y[0] = x[0] < y[0] ? x[0] : y[0];", "", "float", Type::f32);
  expect_neither("if (x[0] < y[0]) y[0] = x[0];", "", "int", Type::i32);
  expect_neither("y[0] = fmin(y[0], x[0]);", "", "float", Type::f32);
  expect_neither("y[0] = std::min<double>(y[0], x[0]);", "", "int", Type::i32);
  expect_neither("const int n = -1; if (n < (int)y[0]) y[0] = n;", "", "unsigned", Type::u32);
}

}  // namespace
}  // namespace op2::jit::test
