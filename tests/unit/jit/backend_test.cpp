// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cmath>
#include <fstream>
#include <future>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <op2/error.hpp>
#include <unit/jit/backend_support.hpp>

namespace op2::jit::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
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

/// The first error of a text that must be rejected.
Diagnostic first_error(const CompileRequest& request) {
  const auto result = load()->compile(request);
  EXPECT_EQ(result.status, CompileStatus::rejected) << result.message;
  for (const auto& message : result.diagnostics) {
    if (message.severity == Diagnostic::Severity::error) return message;
  }
  ADD_FAILURE() << "no error";
  return {};
}

TEST(Backend, CompilesAndRunsAKernel) {
  EXPECT_EQ(compile_and_run(work("*y = 2 * *x + 1;"), 20), 41);
}

TEST(Backend, ReturnsObjectIrAssemblyAndSignature) {
  const auto result = load()->compile(work("*y = *x;"));
  EXPECT_THAT(result.ir, HasSubstr("define"));
  EXPECT_THAT(result.ir, HasSubstr("op2_range_work"));
  EXPECT_THAT(result.assembly, HasSubstr("op2_range_work:"));
  EXPECT_FALSE(result.object.empty());
  EXPECT_EQ(result.signature, "const double *x, double *y");
}

TEST(Backend, ReadsAConstantThatIsFarAwayThroughItsSymbol) {
  auto request = work("*y = gam * *x;");
  request.source = "extern \"C\" const double gam;\n" + request.source;
  const auto gam = std::make_unique<double>(1.4);
  EXPECT_EQ(compile_and_run(request, 10, {{"gam", gam.get()}}), 14);
}

TEST(Backend, CallsMathematicalFunctionsWithAndWithoutStd) {
  const std::string body =
      "*y = std::sin(*x) + pow(*x, 2) + sqrtf(4.0f) + std::max(1.0, *x) + fabs(-*x) + M_PI;";
  auto request = work(body);
  request.source = "#include <cmath>\n#include <math.h>\n#include <algorithm>\n" + request.source;
  EXPECT_DOUBLE_EQ(compile_and_run(request, 3), std::sin(3.0) + 9 + 2 + 3 + 3 + M_PI);
}

TEST(Backend, OffersTheUsualHeaders) {
  auto request = work(
      "int64_t n = INT32_MAX; size_t m = 2; assert(n > 0); *y = *x < DBL_MAX ? double(n + m) : 0;");
  for (const char* header : {"cstdint", "cstddef", "cfloat", "climits", "cstring", "cstdio",
                             "cassert", "cstdlib", "utility", "stdint.h"}) {
    request.source = "#include <" + std::string(header) + ">\n" + request.source;
  }
  EXPECT_EQ(compile_and_run(request, 1), 2147483649.0);
}

/// Whether all conditions hold at compile time.
CompileStatus check(const std::string& headers, const std::string& conditions) {
  auto request = work("*y = *x;");
  request.source = headers + conditions + request.source;
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
  request.source = "#include <algorithm>\n#include <cmath>\n#include <cstring>\n" + request.source;
  EXPECT_EQ(compile_and_run(request, 7), 7 + 3 + 5 + 3 + 4 + 3);
}

TEST(Backend, SeesTheIncludesOfTheRequest) {
  auto request = work("*y = twice(*x);");
  request.source = "#include \"lib/twice.h\"\n#include \"../up.h\"\n" + request.source;
  request.includes = {
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
  request.source.insert(0, helper);
  EXPECT_EQ(load()->compile(request).status, CompileStatus::rejected);
}

// ---- machine

TEST(Backend, DescribesTheMachine) {
  const auto target = load()->target();
  EXPECT_THAT(target.triple, HasSubstr("linux"));
  EXPECT_FALSE(target.cpu.empty());
  EXPECT_THAT(target.compiler, HasSubstr("LLVM 19.1"));
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
    load_backend("/nonexistent", "");
    FAIL() << "found elsewhere";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::plugin_failure);
    EXPECT_THAT(error.what(), HasSubstr("/nonexistent/libop2_llvm.so"));
  }
}

// ---- diagnostics

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
  request.source = "#include <cmath>\n" + request.source;
  EXPECT_EQ(first_error(request).subject, "sqr");
}

TEST(Diagnostics, NameAMissingInclude) {
  auto request = work("*y = *x;");
  request.source = "#include \"nowhere.h\"\n" + request.source;
  const auto error = first_error(request);
  EXPECT_EQ(error.kind, Diagnostic::Kind::missing_include);
  EXPECT_EQ(error.subject, "nowhere.h");
}

TEST(Diagnostics, HideTheFilesOfTheMachine) {
  auto request = work("*y = *x;");
  request.source = "#include </usr/include/stdio.h>\n" + request.source;
  EXPECT_EQ(first_error(request).kind, Diagnostic::Kind::missing_include);
}

TEST(Diagnostics, PointIntoIncludedFiles) {
  auto request = work("*y = *x;");
  request.source = "#include \"lib/bad.h\"\n" + request.source;
  request.includes = {{"lib/bad.h", "\ninline int f() { return unknown; }\n"}};
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
  request.source =
      "#line 3 \"user.cpp\"\n#include <cmath>\nstatic int fine = 1;\n"
      "extern const double start;\nstatic double table = start;\n" +
      request.source;
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

// ---- limits

Diagnostic::Kind limit_kind(const std::string& prologue, const std::string& body) {
  auto request = work(body);
  request.source = prologue + request.source;
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
  request.source = "#include \"self.h\"\n" + request.source;
  request.includes = {{"self.h", "#include \"self.h\"\n"}};
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

// ---- signature

std::string fault(const std::string& text, const std::vector<ArgShape>& args) {
  const auto result = load()->compile(request(text, args));
  EXPECT_EQ(result.status, CompileStatus::wrong_signature);
  return result.message;
}

TEST(Signature, NeedsAPointerToConstForARead) {
  EXPECT_EQ(fault("void work(double* q) {}", {arg(OP_READ, Type::f64, 4)}),
            "arg 0 (OP_READ, double x4): parameter 'double *q' must be a pointer to const: "
            "write 'const double *q'");
}

TEST(Signature, FaultsPointToTheParameterOrTheFunction) {
  const auto place = [](const std::string& text) {
    const auto notes = load()->compile(request(text, {arg(OP_READ)})).diagnostics;
    EXPECT_EQ(notes.size(), 1U);
    return notes.empty() ? std::pair(0, 0) : std::pair(notes[0].line, notes[0].column);
  };
  EXPECT_EQ(place("\nvoid work(double* q) {}"), std::pair(11, 19));
  EXPECT_EQ(place("void work() {}"), std::pair(10, 6));
  EXPECT_EQ(place("namespace a {\nvoid work(double* q) {}\n}"), std::pair(11, 6));
}

TEST(Signature, DoesNotMistakeTheGeneratedPartForTheText) {
  auto missing = request("void work() {}", {});
  missing.kernel = "op2_range_work";
  EXPECT_THAT(load()->compile(missing).message, HasSubstr("it defines 'work'"));
}

TEST(Signature, NeedsAPointerToNonConstForAnIncrement) {
  EXPECT_THAT(
      fault("void work(const double* x, const double* q) {}", {arg(OP_READ), arg(OP_INC)}),
      HasSubstr(
          "arg 1 (OP_INC, double x1): parameter 'const double *q' must not be a pointer to const"));
}

TEST(Signature, NeedsTheTypeOfTheArgument) {
  EXPECT_THAT(fault("void work(float* q) {}", {arg(OP_RW)}),
              HasSubstr("parameter 'float *q' must be a pointer to double: write 'double *q'"));
  EXPECT_THAT(fault("void work(double q) {}", {arg(OP_RW)}),
              HasSubstr("must be a pointer to double"));
  EXPECT_THAT(fault("void work(double& q) {}", {arg(OP_RW)}),
              HasSubstr("must be a pointer to double"));
  EXPECT_THAT(fault("void work(unsigned* q) {}", {arg(OP_RW, Type::i32)}),
              HasSubstr("must be a pointer to int"));
}

TEST(Signature, NeedsAPointerToConstIntForAnIndex) {
  ArgShape index;
  index.kind = OP_ARG_IDX;
  EXPECT_THAT(fault("void work(int* i) {}", {index}), HasSubstr("write 'const int *i'"));
}

TEST(Signature, NeedsOneParameterPerArgument) {
  EXPECT_THAT(fault("void work(const double* x) {}", {arg(OP_READ), arg(OP_READ)}),
              HasSubstr("'work(const double *x)' has 1 parameters, but the loop has 2 arguments"));
}

TEST(Signature, NeedsVoid) {
  EXPECT_THAT(fault("int work(double* q) { return 0; }", {arg(OP_RW)}), HasSubstr("returns 'int'"));
}

TEST(Signature, ListsWhatTheTextDefinesIfTheKernelIsMissing) {
  EXPECT_THAT(fault("void wrok(double* q) {}\nvoid help() {}", {arg(OP_RW)}),
              HasSubstr("does not define a function 'work'; it defines 'wrok', 'help'"));
  EXPECT_THAT(fault("void work(double* q);", {arg(OP_RW)}), HasSubstr("it defines none"));
}

TEST(Signature, RefusesTemplatesNamespacesAndOverloads) {
  EXPECT_THAT(fault("template <class T> void work(T* q) {}", {arg(OP_RW)}), HasSubstr("template"));
  EXPECT_THAT(fault("namespace mine { void work(double* q) {} }", {arg(OP_RW)}),
              HasSubstr("namespace 'mine'"));
  EXPECT_THAT(fault("void work(double* q) {}\nvoid work(double* q, int) {}", {arg(OP_RW)}),
              HasSubstr("overloaded"));
}

TEST(Signature, AcceptsBothSpellingsOf64BitIntegers) {
  for (const char* type : {"long", "long long", "int64_t"}) {
    auto wide = request("", {arg(OP_RW, Type::i64)});
    wide.source = "#include <stdint.h>\nvoid work(" + std::string(type) + "* q) { *q = 1; }\n";
    EXPECT_EQ(load()->compile(wide).status, CompileStatus::ok) << type;
  }
}

TEST(Signature, IsCheckedBeforeTheGeneratedCodeIsSeen) {
  auto wrong = request("void work(double* q) {}", {arg(OP_READ)});
  wrong.source += "this is no C++";
  EXPECT_EQ(load()->compile(wrong).status, CompileStatus::wrong_signature);
}

TEST(Signature, GivesWayToErrorsOfTheText) {
  EXPECT_EQ(first_error(request("void work(doubel* q) {}", {arg(OP_READ)})).file, "user.cpp");
}

// ---- crashes: what the compiler held is lost, which the leak sanitizer would report

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

// ---- linking

/// Why the object of a text is not linked.
std::string refusal(const std::string& prologue, const std::string& body) {
  auto request = work(body);
  request.source = prologue + request.source;
  const auto backend = load();
  const auto compiled = backend->compile(request);
  EXPECT_EQ(compiled.diagnostics.size(), 0U) << compiled.diagnostics[0].text;
  return backend->link(compiled.object, request.symbol, {}).message;
}

TEST(Link, RefusesSymbolsThatAreNotOnTheList) {
  EXPECT_THAT(refusal("extern char** environ;\n", "*y = environ[0][0];"), HasSubstr("'environ'"));
  EXPECT_THAT(refusal("namespace a { extern int b; }\n", "*y = a::b;"), HasSubstr("'a::b'"));
}

TEST(Link, ExplainsSymbolsThatNoTextNames) {
  EXPECT_THAT(refusal("", "static double first = *x; *y = first;"), HasSubstr("static variable"));
  EXPECT_THAT(refusal("", "__int128 n = *x; *y = 3000 / n;"), HasSubstr("128 bits"));
  EXPECT_THAT(refusal("thread_local double t;\n", "*y = t += *x;"), HasSubstr("thread_local"));
}

TEST(Link, RefusesSectionsThatGeneratedCodeDoesNotHave) {
  EXPECT_THAT(refusal("static void f() {}\n__attribute__((section(\".init_array\"), used)) static "
                      "void (*start)() = f;\n",
                      "*y = *x;"),
              HasSubstr("'.init_array'"));
  EXPECT_THAT(refusal("__attribute__((section(\"own\"), used)) static int n = 1;\n", "*y = n;"),
              HasSubstr("'own'"));
}

#if defined(__x86_64__)
TEST(Link, RefusesFunctionsThatAreChosenWhenLinked) {
  EXPECT_THAT(refusal("extern \"C\" { double one(double) { return 1; }\n"
                      "double (*choose())(double) { return one; }\n"
                      "__attribute__((ifunc(\"choose\"))) double chosen(double); }\n",
                      "*y = chosen(*x);"),
              HasSubstr("ifunc"));
}
#endif

TEST(Link, NeedsTheSymbolInTheObject) {
  const auto backend = load();
  const auto object = backend->compile(work("*y = *x;")).object;
  EXPECT_THAT(backend->link(object, "other", {}).message, HasSubstr("does not define 'other'"));
}

TEST(Link, RefusesTruncatedAndForeignObjects) {
  const auto backend = load();
  auto object = backend->compile(work("*y = *x;")).object;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{3}, std::size_t{64}, object.size() / 2}) {
    const std::vector<std::byte> part(object.begin(),
                                      object.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(backend->link(part, "op2_range_work", {}).code, nullptr) << size;
  }
  EXPECT_EQ(backend->link(std::vector<std::byte>(1000, std::byte{'x'}), "op2_range_work", {}).code,
            nullptr);
  object[18] = std::byte{0xb7};  // e_machine: AArch64
  EXPECT_THAT(backend->link(object, "op2_range_work", {}).message, HasSubstr("another machine"));
}

TEST(Link, FreesCodeInAnyOrder) {
  const auto backend = load();
  const auto object = backend->compile(work("*y = *x + 1;")).object;
  auto first = backend->link(object, "op2_range_work", {});
  auto second = backend->link(object, "op2_range_work", {});
  first.code.reset();
  EXPECT_EQ(run(*second.code, 1), 2);
}

TEST(Link, MapsNothingWritableAndExecutable) {
  const auto backend = load();
  const auto object = backend->compile(work("*y = *x;")).object;
  const auto linked = backend->link(object, "op2_range_work", {});
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) EXPECT_THAT(line, Not(HasSubstr(" rwx")));
}

}  // namespace
}  // namespace op2::jit::test
