// SPDX-License-Identifier: BSD-3-Clause
// Code that must have the same bits everywhere: which functions it calls, and how it is identified.
#include <string>
#include <vector>

#include <dlfcn.h>
#include <gmock/gmock.h>

#include <jit/math_names.hpp>
#include <jit/target/cpu/cpu_target.hpp>
#include <support/fake_backend.hpp>
#include <unit/jit/backend_support.hpp>

namespace op2::jit::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Results are exact, or rounded once.
const std::vector<std::string> exact_functions{
    "ceil",  "copysign", "fabs",  "fdim",  "floor",     "fma",    "fmax",      "fmin",     "fmod",
    "frexp", "ilogb",    "ldexp", "logb",  "llrint",    "lrint",  "llround",   "lround",   "modf",
    "rint",  "round",    "sqrt",  "trunc", "nextafter", "scalbn", "remainder", "nearbyint"};

bool has_variant(std::string_view name) {
  return std::ranges::find(consistent_functions, name, &ConsistentFunction::name) !=
         consistent_functions.end();
}

TEST(ConsistentMath, IsKnownOfEveryFunctionThatKernelsMayCall) {
  const auto check = [](const auto& names) {
    for (const char* name : names)
      EXPECT_TRUE(has_variant(name) != (std::ranges::count(exact_functions, name) == 1) ||
                  std::string(name) == "sincos")
          << name;
  };
  check(unary_functions);
  check(binary_functions);
  check(other_math_functions);
}

TEST(ConsistentMath, HasVariantsOfAllFunctionsForAllVectors) {
  void* library = dlopen("libsleef.so.3", RTLD_NOW);
  ASSERT_NE(library, nullptr) << dlerror();
  for (const ConsistentFunction& function : consistent_functions)
    for (const char type : {'d', 'f'}) {
      std::vector<std::string> names{consistent_name(function, type)};
#if defined(__x86_64__)
      const int width = type == 'd' ? 2 : 4;
      for (const auto& [family, times] :
           {std::pair("sse2", 1), {"sse4", 1}, {"avx", 2}, {"avx512fnofma", 4}})
        names.push_back(consistent_name(function, type, width * times, family));
#elif defined(__aarch64__)
      names.push_back(consistent_name(function, type, type == 'd' ? 2 : 4, "advsimdnofma"));
      names.push_back(consistent_name(function, type, 0, "svenofma"));
#endif
      for (const std::string& name : names) {
        EXPECT_NE(dlsym(library, name.c_str()), nullptr) << name;
        EXPECT_EQ(plain_name(name), std::string(function.name) + (type == 'f' ? "f" : ""));
      }
    }
}

TEST(ConsistentMath, HasNoOtherNames) {
  for (const char* name : {"exp", "Sleef_expd1_u10", "Sleef_cinz_", "Sleef_cinz_fabsd1_purec",
                           "Sleef_cinz_expd1", "Sleef_cinz_expd1_u35purec", "Sleef_cinz_exp"})
    EXPECT_FALSE(is_consistent_mathematics(name)) << name;
}

CompileRequest consistent(const std::string& body) {
  CompileRequest wanted = work(body);
  wanted.units[0].source =
      "extern \"C\" { double exp(double); double pow(double, double); float sinf(float);\n"
      "double fmod(double, double); double floor(double); double sqrt(double); }\n" +
      wanted.units[0].source;
  wanted.consistent_math = true;
  return wanted;
}

TEST(ConsistentMath, IsCalledInsteadOfTheCLibraryEvenWithKnownArguments) {
  const CompileResult compiled =
      load()->compile(consistent("double (*f)(double) = exp;\n"
                                 "*y = f(*x) + pow(*x, 2) + exp(0.5) + __builtin_log(*x)\n"
                                 "  + sinf((float)*x);"));
  ASSERT_EQ(compiled.status, CompileStatus::ok) << compiled.message;
  const std::string& text = compiled.assembly;
#if defined(__x86_64__)
  const std::string end = "@";  // of a name that is called: name@PLT
#else
  const std::string end = "\n";
#endif
  for (const char* name : {"expd1_u10", "powd1_u10", "logd1_u10", "sinf1_u10"})
    EXPECT_THAT(text, HasSubstr(std::string("Sleef_cinz_") + name + "purec" + end)) << name;
  for (const char* name : {"exp", "pow", "log", "sinf"})
    EXPECT_THAT(text, Not(HasSubstr(std::string("\t") + name + end))) << name;
}

TEST(ConsistentMath, LeavesExactFunctions) {
  const CompileResult compiled =
      load()->compile(consistent("*y = fmod(*x, 3) + floor(*x) + sqrt(*x);"));
  ASSERT_EQ(compiled.status, CompileStatus::ok) << compiled.message;
  EXPECT_THAT(compiled.assembly, AllOf(HasSubstr("fmod"), Not(HasSubstr("Sleef"))));
}

TEST(ConsistentMath, IsLinkedAndComputes) {
  const auto backend = load();
  const CompileRequest wanted = consistent("*y = exp(*x) + pow(*x, 2);");
  const CompileResult compiled = backend->compile(wanted);
  ASSERT_EQ(compiled.status, CompileStatus::ok) << compiled.message;
  const LinkResult linked = backend->link(compiled.object, wanted.symbol, {});
  ASSERT_NE(linked.code, nullptr) << linked.message;
  EXPECT_EQ(run(*linked.code, 0), 1.0);
  EXPECT_NEAR(run(*linked.code, 3), 29.0855369231877, 1e-12);
}

TEST(ConsistentMath, IsCalledOnlyIfItIsAskedFor) {
  CompileRequest wanted = consistent("*y = exp(*x);");
  wanted.consistent_math = false;
  EXPECT_THAT(load()->compile(wanted).assembly, Not(HasSubstr("Sleef")));
}

TEST(ConsistentMath, MayNotBeDefinedOrDeclaredByKernels) {
  CompileRequest defined = work("*y = *x;");
  defined.units[0].source =
      "extern \"C\" double Sleef_cinz_expd1_u10purec(double x) { return x; }\n" +
      defined.units[0].source;
  EXPECT_THAT(first_error(defined).text, HasSubstr("Sleef_cinz_expd1_u10purec"));
  CompileRequest declared = work("*y = Sleef_cinz_expd1_u10purec(*x);");
  declared.units[0].source =
      "extern \"C\" double Sleef_cinz_expd1_u10purec(double);\n" + declared.units[0].source;
  EXPECT_THAT(first_error(declared).text, HasSubstr("not defined"));
}

/// A library of a certain build.
struct BackendWith : op2::test::FakeBackend {
  std::string build;
  explicit BackendWith(std::string name) : build(std::move(name)) {}
  std::string consistent_math() override { return build; }
};

std::string options_with(const std::string& build, bool is_reproducible) {
  JitOptions options;
  options.reproducible = is_reproducible;
  return CpuTarget(std::make_shared<BackendWith>(build), options).options();
}

TEST(ConsistentMath, IsPartOfTheIdentityOfCode) {
  EXPECT_THAT(options_with("libsleef.so.3.5.1 12ab", true),
              HasSubstr("reproducible math=libsleef.so.3.5.1 12ab "));
  EXPECT_NE(options_with("one", true), options_with("another", true));
  EXPECT_EQ(options_with("one", false), options_with("another", false));
  EXPECT_THAT(load()->consistent_math(), testing::MatchesRegex("libsleef\\.so\\.3.* [0-9a-f]+"));
}

}  // namespace
}  // namespace op2::jit::test
