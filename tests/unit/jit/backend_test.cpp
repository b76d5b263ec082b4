// SPDX-License-Identifier: BSD-3-Clause
// What the plug-in compiles, for which machine, and what it does after a crash of the compiler.
#include <cmath>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <op2/error.hpp>
#include <unit/jit/backend_support.hpp>

namespace op2::jit::test {
namespace {

using testing::HasSubstr;
using testing::Not;

double compile_and_run(const CompileRequest& request, double x,
                       const std::vector<LinkSymbol>& symbols = {}) {
  const auto backend = load();
  const auto compiled = backend->compile(request);
  const auto linked = backend->link(compiled.object, request.symbol, symbols);
  EXPECT_EQ(compiled.status, CompileStatus::ok) << compiled.message;
  EXPECT_EQ(linked.message, "");
  return linked.code ? run(*linked.code, x) : NAN;
}

TEST(Backend, CompilesAndRunsAKernel) {
  EXPECT_EQ(compile_and_run(work("*y = 2 * *x + 1;"), 20), 41);
}

/// Code that another build of LLVM made must not be taken from a cache.
TEST(Backend, NamesTheBuildOfLlvm) {
  EXPECT_THAT(
      load()->target().compiler,
      testing::ContainsRegex("^LLVM " OP2_LLVM_VERSION " build [0-9a-f]+ toolchain [0-9a-f]+$"));
}

TEST(Backend, ReturnsObjectIrAssemblyAndSignature) {
  const auto result = load()->compile(work("*y = *x;"));
  EXPECT_THAT(result.ir, HasSubstr("define"));
  EXPECT_THAT(result.ir, HasSubstr("op2_range_work"));
  EXPECT_THAT(result.assembly, HasSubstr("op2_range_work:"));
  EXPECT_FALSE(result.object.empty());
  EXPECT_EQ(result.signatures[0], "const double *x, double *y");
}

TEST(Backend, ReadsAConstantThatIsFarAwayThroughItsSymbol) {
  auto request = work("*y = gam * *x;");
  request.units[0].source = "extern \"C\" const double gam;\n" + request.units[0].source;
  const auto gam = std::make_unique<double>(1.4);
  EXPECT_EQ(compile_and_run(request, 10, {{"gam", gam.get()}}), 14);
}

TEST(Backend, CallsMathematicalFunctionsWithAndWithoutStd) {
  const std::string body =
      "*y = std::sin(*x) + pow(*x, 2) + sqrtf(4.0f) + std::max(1.0, *x) + fabs(-*x) + M_PI;";
  auto request = work(body);
  request.units[0].source =
      "#include <cmath>\n#include <math.h>\n#include <algorithm>\n" + request.units[0].source;
  EXPECT_DOUBLE_EQ(compile_and_run(request, 3), std::sin(3.0) + 9 + 2 + 3 + 3 + M_PI);
}

TEST(Backend, OffersTheUsualHeaders) {
  auto request = work(
      "int64_t n = INT32_MAX; size_t m = 2; assert(n > 0); *y = *x < DBL_MAX ? double(n + m) : 0;");
  for (const char* header : {"cstdint", "cstddef", "cfloat", "climits", "cstring", "cstdio",
                             "cassert", "cstdlib", "utility", "stdint.h"}) {
    request.units[0].source = "#include <" + std::string(header) + ">\n" + request.units[0].source;
  }
  EXPECT_EQ(compile_and_run(request, 1), 2147483649.0);
}

/// Whether all conditions hold at compile time.
CompileStatus check(const std::string& headers, const std::string& conditions) {
  auto request = work("*y = *x;");
  request.units[0].source = headers + conditions + request.units[0].source;
  return load()->compile(request).status;
}

TEST(Backend, KnowsTheLimitsOfNumbers) {
  const std::string conditions =
      "using std::numeric_limits;\n"
      "static_assert(numeric_limits<int>::max() == 2147483647);\n"
      "static_assert(numeric_limits<int>::lowest() == -2147483647 - 1);\n"
      "static_assert(numeric_limits<unsigned>::max() == 4294967295U);\n"
      "static_assert(numeric_limits<long long>::max() == 9223372036854775807LL);\n"
      "static_assert(numeric_limits<long>::min() == -9223372036854775807L - 1);\n"
      "static_assert(numeric_limits<signed char>::min() == -128);\n"
      "static_assert(numeric_limits<bool>::max());\n"
      "static_assert(numeric_limits<double>::lowest() < -1e308);\n"
      "static_assert(numeric_limits<float>::infinity() > numeric_limits<float>::max());\n";
  EXPECT_EQ(check("#include <limits>\n", conditions), CompileStatus::ok);
  EXPECT_EQ(check("#include <limits>\n", conditions + "static_assert(false);\n"),
            CompileStatus::rejected);
}

TEST(Backend, FunctionsTakeListsAndIntegers) {
  auto request = work(
      "*y = std::max({1.0, *x, 2.0}) + std::min({4, 3, 5}) + std::fma(1, 2, 3) + "
      "fma(2.0f, 1.0, 1) + std::ldexp(1, 2) + strlen(\"abc\") + std::memcmp(x, x, 8);");
  request.units[0].source =
      "#include <algorithm>\n#include <cmath>\n#include <cstring>\n" + request.units[0].source;
  EXPECT_EQ(compile_and_run(request, 7), 7 + 3 + 5 + 3 + 4 + 3);
}

TEST(Backend, SeesTheIncludesOfTheRequest) {
  auto request = work("*y = twice(*x);");
  request.units[0].source =
      "#include \"lib/twice.h\"\n#include \"../up.h\"\n" + request.units[0].source;
  request.units[0].includes = {
      {"lib/twice.h",
       "#include \"factor.h\"\ninline double twice(double x) { return factor * x; }\n"},
      {"lib/factor.h", "const double factor = 2;\n"},
      {"../up.h", "\n"}};
  EXPECT_EQ(compile_and_run(request, 4), 8);
}

TEST(Backend, AssemblesInlineAssembly) {
  EXPECT_EQ(compile_and_run(work("asm volatile(\"nop\"); *y = *x;"), 4), 4);
  EXPECT_THAT(first_error(work("asm volatile(\"nonsense\"); *y = *x;")).text,
              HasSubstr("nonsense"));
}

TEST(Backend, GivesTheSameBytesForTheSameRequest) {
  const auto backend = load();
  const auto request = work("*y = *x * *x;");
  EXPECT_EQ(backend->compile(request).object, backend->compile(request).object);
}

TEST(Backend, CompilesOnTwoThreadsAtOnce) {
  const auto backend = load();
  const auto compile = [&](const char* body) { return backend->compile(work(body)).status; };
  auto other = std::async(std::launch::async, compile, "*y = *x + 1;");
  EXPECT_EQ(compile("*y = *x + 2;"), CompileStatus::ok);
  EXPECT_EQ(other.get(), CompileStatus::ok);
}

TEST(Backend, ReturnsWarningsOfASuccessfulCompilation) {
  const auto result = load()->compile(work("double z; if (*x > 0) z = 1; *y = z;"));
  EXPECT_EQ(result.status, CompileStatus::ok);
  ASSERT_FALSE(result.diagnostics.empty());
  EXPECT_EQ(result.diagnostics[0].severity, Diagnostic::Severity::warning);
}

TEST(Backend, AFunctionThatMayEndWithoutItsValueIsRejected) {
  auto request = work("*y = limit(*x);");
  const std::string helper = "static double limit(double v) { if (v > 2) return 1; }\n";
  request.units[0].source.insert(0, helper);
  EXPECT_EQ(load()->compile(request).status, CompileStatus::rejected);
}

TEST(Backend, DescribesTheMachine) {
  const auto target = load()->target();
  EXPECT_THAT(target.triple, HasSubstr("linux"));
  EXPECT_FALSE(target.cpu.empty());
}

TEST(Backend, RefusesAnUnknownCpu) {
  try {
    load("zen99");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_option);
    EXPECT_THAT(error.what(), HasSubstr("'zen99'"));
  }
}

#if defined(__x86_64__)
TEST(Backend, GeneratesCodeForTheNamedCpu) {
  const auto result = load("x86-64")->compile(work("*y = __builtin_fma(*x, *x, 1.0);"));
  EXPECT_EQ(result.status, CompileStatus::ok);
  EXPECT_THAT(result.assembly, Not(HasSubstr("vfmadd")));
}
#endif

TEST(PluginLoader, AnExplicitFolderIsTheOnlyOneTried) {
  try {
    load_plugin("/nonexistent", "").backend;
    FAIL() << "found elsewhere";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::plugin_failure);
    EXPECT_THAT(error.what(), HasSubstr("/nonexistent/libop2_llvm.so"));
  }
}

// A compiler that crashes loses what it held, which the leak sanitizer would report.
#if !defined(__SANITIZE_ADDRESS__)
TEST(Crash, IsReportedAndNothingIsCompiledAfterIt) {
  const auto backend = load();
  const auto good = backend->compile(work("*y = *x;"));
  const auto bad = backend->compile(request("#pragma clang __debug crash", {}));
  EXPECT_EQ(bad.status, CompileStatus::crashed);
  EXPECT_THAT(backend->compile(work("*y = *x;")).message,
              HasSubstr("failed on another kernel before"));
  EXPECT_NE(backend->link(good.object, "op2_range_work", {}).code, nullptr);
}

TEST(Crash, KeepsWhatLlvmSaidBeforeItGaveUpAndTheCompiler) {
  const auto backend = load();
  const auto result = backend->compile(request("#pragma clang __debug llvm_fatal_error", {}));
  EXPECT_EQ(result.status, CompileStatus::crashed);
  EXPECT_THAT(result.message, HasSubstr("llvm_fatal_error"));
  EXPECT_EQ(backend->compile(work("*y = *x;")).status, CompileStatus::ok);
}
#endif

}  // namespace
}  // namespace op2::jit::test
