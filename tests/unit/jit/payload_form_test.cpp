// SPDX-License-Identifier: BSD-3-Clause
// Sources of kernels whose payloads may be set in any order, and near misses.
#include <jit/payload_form.hpp>

#include <string>

#include <gtest/gtest.h>

namespace op2::jit {
namespace {

/// A kernel (const T* q, T* most, const int* index, int* where) with this body, of which `most` is
/// an extreme, and `where` its payload of `dim` values.
bool is_recognised(const std::string& body, op_access access = OP_MAX, Type type = Type::f64,
                   int dim = 1) {
  const std::string t = type == Type::f64 ? "double" : type == Type::f32 ? "float" : "int";
  KernelCall call{.name = "work"};
  call.source = "static int helper(int x) { return x; }\nvoid work(const " + t + "* q, " + t +
                "* most, const int* index, int where[]) {" + body + "}";
  const ArgShape parameters[] = {{.access = OP_READ, .type = type},
                                 {.access = access, .type = type},
                                 {.access = OP_READ, .type = Type::i32},
                                 {.access = OP_WRITE, .type = Type::i32, .dim = dim, .extreme = 1}};
  return sets_payloads_in_any_order(call, parameters);
}

TEST(PayloadForm, TheUsualFormsAreRecognised) {
  EXPECT_TRUE(is_recognised("if (*q > *most) { *most = *q; *where = *index; }"));
  EXPECT_TRUE(is_recognised("if (*most < q[0]) { where[0] = index[0]; most[0] = q[0]; }"));
  EXPECT_TRUE(is_recognised("if (*q < *most) { *most = *q; *where = 2; }", OP_MIN));
  EXPECT_TRUE(
      is_recognised("for (int n = 0; n < 4; ++n) { double d = q[n] - 1;\n"
                    "if (d * d > *most) { *most = d * d; *where = *index; } }"));
  EXPECT_TRUE(
      is_recognised("if (*index % 2) { if (std::fabs(*q) > *most) {\n"
                    "*most = std::fabs(*q); *where = *index + 1; } }"));
}

TEST(PayloadForm, ParenthesesThatChangeNothingDoNotMatter) {
  for (const char* body :
       {"if (((*q) * (*q)) > (*most)) { (*most) = ((*q) * (*q)); (*where) = (*index); }",
        "if ((*q > *most)) { *most = (*q); *where = ((index[0])); }",
        "if ((q[0] - 1) * 2 > *most) { *most = ((q[0]) - 1) * 2; *where = *index; }",
        "if (((*most)) < (std::fabs((*q)) + (2 * q[0]))) { *most = std::fabs(*q) + 2 * q[0]; "
        "*where = (*index + 1); }",
        "if (-(*q) > *most) { *most = -*q; (where[0]) = 1; }",
        "if (q[(0)] > most[0]) { (most[0]) = q[0]; *where = *index; }"})
    EXPECT_TRUE(is_recognised(body)) << body;
  for (const char* body :
       {"if ((*q - 1) * 2 > *most) { *most = *q - 1 * 2; *where = *index; }",
        "if (*q - (1 - q[0]) > *most) { *most = *q - 1 - q[0]; *where = *index; }",
        "if (*q / (2 * q[0]) > *most) { *most = *q / 2 * q[0]; *where = *index; }",
        "if (-(*q + 1) > *most) { *most = -*q + 1; *where = *index; }",
        "if ((*q, 1.0) > *most) { *most = (*q, 1.0); *where = *index; }",
        "if ((*q > *most) > 0) { *most = *q; *where = *index; }",
        "if ((*q) > *most) { *most = (*most); *where = *index; }",
        "if (*q > *most) { *(most) = *q; *(where + 1) = *index; }",
        "if (*q > *most) { *most = *q; (*where)++; *where = *index; }",
        "if ((float)(*q) > *most) { *most = *q; *where = *index; }",
        "if (*q > *most) { *where += *index; *most = *q; }"})
    EXPECT_FALSE(is_recognised(body)) << body;
}

TEST(PayloadForm, AWrapperThatPassesItsParametersOnIsSeenThrough) {
  const ArgShape parameters[] = {{.access = OP_READ},
                                 {.access = OP_MAX},
                                 {.access = OP_WRITE, .type = Type::i32, .extreme = 1}};
  const std::string worker =
      "namespace { void work(const double* q, double* most, int* where) {\n"
      "if (*q > *most) { *most = *q; *where = 3; } } }\n"
      "void outer(const double *a0, double *a1, int *a2) ";
  const auto sees = [&](const std::string& body) {
    KernelCall call{.name = "outer"};
    call.source = worker + body;
    return sets_payloads_in_any_order(call, parameters);
  };
  EXPECT_TRUE(sees("{ work(a0, a1, a2); }"));
  EXPECT_TRUE(sees("{ return work(a0, a1, a2); }"));
  EXPECT_FALSE(sees("{ work(a0 + 1, a1, a2); }"));
  EXPECT_FALSE(sees("{ work(a0, a1, a2); work(a0, a1, a2); }"));
  EXPECT_FALSE(sees("{ work(a1, a0, a2); }"));
  EXPECT_FALSE(sees("{ other(a0, a1, a2); }"));
}

TEST(PayloadForm, WhatAlsoReplacesEqualValuesKeepsTheLastElement) {
  EXPECT_FALSE(is_recognised("if (*q >= *most) { *most = *q; *where = *index; }"));
  EXPECT_FALSE(is_recognised("if (*most <= *q) { *most = *q; *where = *index; }"));
  EXPECT_FALSE(is_recognised("if (!(*q < *most)) { *most = *q; *where = *index; }"));
}

TEST(PayloadForm, TheSignMustBeThatOfTheExtreme) {
  EXPECT_FALSE(is_recognised("if (*q > *most) { *most = *q; *where = *index; }", OP_MIN));
  EXPECT_FALSE(is_recognised("if (*q < *most) { *most = *q; *where = *index; }"));
}

TEST(PayloadForm, AllValuesOfThePayloadAreSetTogetherWithTheExtreme) {
  const std::string both = "if (*q > *most) { *most = *q; where[0] = 1; where[1] = 2; }";
  EXPECT_TRUE(is_recognised(both, OP_MAX, Type::f64, 2));
  EXPECT_FALSE(is_recognised(both, OP_MAX, Type::f64, 3));
  EXPECT_FALSE(is_recognised("if (*q > *most) { *most = *q; }"));
  EXPECT_FALSE(is_recognised("if (*q > *most) { *where = *index; }"));
  EXPECT_FALSE(is_recognised("if (*q > *most) { *most = *q; *where = 1; *where = 2; }"));
}

TEST(PayloadForm, NothingElseMayUseThem) {
  const std::string usual = "if (*q > *most) { *most = *q; *where = *index; }";
  EXPECT_FALSE(is_recognised(usual + "*where = 1;"));
  EXPECT_FALSE(is_recognised("if (*where > 0) {" + usual + "}"));
  EXPECT_FALSE(is_recognised("double* alias = most;" + usual));
  EXPECT_FALSE(is_recognised(usual + "else { *most = 0; }"));
  EXPECT_FALSE(is_recognised("if (*q > *most) { *most = *q; *where = *where + 1; }"));
  EXPECT_FALSE(is_recognised("if (*q + *most > *most) { *most = *q + *most; *where = 1; }"));
}

TEST(PayloadForm, TheExtremeGetsTheComparedValue) {
  EXPECT_FALSE(is_recognised("if (*q > *most) { *most = *q + 1; *where = *index; }"));
  EXPECT_FALSE(is_recognised("if (q[0] > *most) { *most = q[1]; *where = *index; }"));
  EXPECT_FALSE(is_recognised("int k = 0; if (q[k++] > *most) { *most = q[k++]; *where = 1; }"));
  EXPECT_FALSE(is_recognised("if (*q > *most && *q < 5) { *most = *q; *where = *index; }"));
}

TEST(PayloadForm, CallsAndMacrosThatNobodyKnowsCountAsAnything) {
  EXPECT_FALSE(is_recognised("if (*q > *most) { *most = *q; *where = helper(*index); }"));
  EXPECT_FALSE(is_recognised("helper(*where); if (*q > *most) { *most = *q; *where = 1; }"));
  EXPECT_FALSE(is_recognised("\n#define x *most\nif (*q > *most) { *most = *q; *where = 1; }"));
}

TEST(PayloadForm, AComparedValueThatIsRoundedWhenItIsKeptIsNotRecognised) {
  const auto compares = [](const char* x, const char* before = "") {
    return is_recognised(
        std::string(before) + "if (" + x + " > *most) { *most = " + x + "; *where = *index; }",
        OP_MAX, Type::f32);
  };
  EXPECT_TRUE(compares("*q"));
  EXPECT_TRUE(compares("q[1]"));
  EXPECT_TRUE(compares("x", "const float x = 0.3 * *q;"));
  EXPECT_FALSE(compares("0.3 * *q"));
  EXPECT_FALSE(compares("x", "const double x = 0.3 * *q;"));
  EXPECT_FALSE(compares("x", "float x = 1; { double x = 2; }"));
  EXPECT_FALSE(compares("*index"));
  EXPECT_FALSE(is_recognised("long double x = *q; if (x > *most) { *most = x; *where = 1; }"));
}

TEST(PayloadForm, TheFunctionMustBeTheOnlyOneOfItsName) {
  KernelCall call{.name = "work", .source = "void work(int* a) {} void work(int* a, int* b) {}"};
  const ArgShape parameters[] = {{.access = OP_MAX, .type = Type::i32},
                                 {.access = OP_WRITE, .type = Type::i32, .extreme = 0}};
  EXPECT_FALSE(sets_payloads_in_any_order(call, parameters));
  call.source = "void other(int* a, int* b) {}";
  EXPECT_FALSE(sets_payloads_in_any_order(call, parameters));
}

}  // namespace
}  // namespace op2::jit
