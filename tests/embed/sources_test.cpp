// SPDX-License-Identifier: BSD-3-Clause
// The kernel tables of a program, and that each source computes what its function computes.
#include <array>
#include <cstring>
#include <memory>
#include <string>

#include <gmock/gmock.h>

#include <core/loop_abi.hpp>
#include <embed/registered.hpp>
#include <jit/backend.hpp>
#include <support/jit_options.hpp>

namespace op2::test {
namespace {

using embedded::Constant;
using embedded::Kernel;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Buffer = std::array<double, 8>;

Kernel kernel_at(const char* file, int line) {
  for (const Kernel& kernel : kernels_of(file)) {
    if (kernel.line == line) return kernel;
  }
  ADD_FAILURE() << file << " has no kernel in line " << line;
  return {};
}

Kernel named(const char* file, const std::string& name) {
  for (const Kernel& kernel : kernels_of(file)) {
    if (kernel.name == name) return kernel;
  }
  ADD_FAILURE() << file << " has no kernel " << name;
  return {};
}

/// The source with what the library puts before and after it.
std::string source_of(const Kernel& kernel) {
  std::string source = "#include <algorithm>\n#include <cmath>\n#include <cstdint>\n";
  for (int i = 0; i < kernel.constant_count; ++i)
    source += std::string("extern const ") + kernel.constants[i].declaration + " __asm__(\"const_" +
              kernel.constants[i].name + "\");\n";
  return source + kernel.source +
         "template <class A, class B> void call(void (*f)(A*, B*), const void* a, void* b) {\n"
         "  f((A*)a, (B*)b);\n}\n"
         "void check(const double* x, double* y) { call(&" +
         kernel.name +
         ", x, y); }\n"
         "struct Binding { void* base; const int* index; long stride; };\n"
         "extern \"C\" void range(long, long, const Binding* args) {\n"
         "  check((const double*)args[0].base, (double*)args[1].base);\n}\n";
}

jit::Backend& backend() {
  static const auto loaded = jit::load_plugin(plugin_folder(), "").backend;
  return *loaded;
}

/// @param x  what the first parameter points to
void run_source(const Kernel& kernel, const void* x, Buffer& y) {
  jit::CompileRequest request;
  jit::CompileUnit& unit = request.units.emplace_back();
  unit.kernel = "check";
  unit.source = source_of(kernel);
  unit.parameters.resize(2);
  unit.parameters[1].arg.access = OP_WRITE;
  request.symbol = "range";
  const auto compiled = backend().compile(request);
  ASSERT_EQ(compiled.status, jit::CompileStatus::ok)
      << kernel.name << ": " << compiled.message
      << (compiled.diagnostics.empty() ? "" : compiled.diagnostics[0].text) << unit.source;
  std::vector<jit::LinkSymbol> symbols;
  for (int i = 0; i < kernel.constant_count; ++i)
    symbols.push_back({std::string("const_") + kernel.constants[i].name,
                       const_cast<void*>(kernel.constants[i].address)});
  const auto linked = backend().link(compiled.object, "range", symbols);
  ASSERT_EQ(linked.message, "") << kernel.name;
  const core::ArgBinding args[] = {{const_cast<void*>(x), nullptr, 0}, {y.data(), nullptr, 0}};
  reinterpret_cast<core::RangeFunction>(linked.code->entry())(0, 1, args);
}

/// All pointers are passed as void*.
void run_function(const Kernel& kernel, const void* x, Buffer& y) {
  reinterpret_cast<void (*)(const void*, void*)>(kernel.function)(x, y.data());
}

constexpr Buffer doubles{1.7, 0.3, 2.9, 4.1, 0.6, 5.3, 1.2, 3.3};
constexpr std::array<float, 8> floats{1.7F, 0.3F, 2.9F, 4.1F, 0.6F, 5.3F, 1.2F, 3.3F};
const std::array<const double*, 2> rows{doubles.data(), doubles.data() + 3};

/// Input of the type of the kernel's first parameter.
const void* input_of(const Kernel& kernel) {
  const std::string source = kernel.source, entry = std::string(kernel.name) + "(const ";
  if (source.find(entry + "float") != std::string::npos) return floats.data();
  for (const char* rest : {"double** x", "double* x[2]"}) {
    if (source.find(entry + rest) != std::string::npos) return rows.data();
  }
  return doubles.data();
}

void expect_equal_results(const Kernel& kernel) {
  ASSERT_NE(kernel.source, nullptr) << kernel.name << ": " << kernel.reason;
  Buffer by_source{}, by_function{};
  run_source(kernel, input_of(kernel), by_source);
  run_function(kernel, input_of(kernel), by_function);
  for (std::size_t i = 0; i < by_source.size(); ++i)
    EXPECT_NEAR(by_source[i], by_function[i], 1e-13 * (1 + std::abs(by_function[i])))
        << kernel.name << ", value " << i;
  EXPECT_NE(by_source, Buffer{}) << kernel.name;
}

TEST(Sources, OfPlainKernelsComputeWhatTheFunctionsCompute) {
  const auto kernels = kernels_of("plain.cpp");
  EXPECT_EQ(kernels.size(), 16U);
  for (const Kernel& kernel : kernels) expect_equal_results(kernel);
}

TEST(Sources, OfOtherFormsComputeWhatTheFunctionsCompute) {
  const auto kernels = kernels_of("forms.cpp");
  EXPECT_EQ(kernels.size(), 16U);
  for (const Kernel& kernel : kernels) expect_equal_results(kernel);
}

TEST(Sources, ResolveNamesLikeTheFunctions) {
  const auto kernels = kernels_of("names.cpp");
  EXPECT_EQ(kernels.size(), 11U);
  for (const Kernel& kernel : kernels) expect_equal_results(kernel);
}

TEST(Sources, ReadVariablesThroughPointersToNonConst) {
  const auto kernels = kernels_of("pointers.cpp");
  EXPECT_EQ(kernels.size(), 5U);
  for (const Kernel& kernel : kernels) expect_equal_results(kernel);
}

TEST(Sources, SeeConstantsAtTheirAddresses) {
  const Kernel kernel = named("plain.cpp", "constants");
  std::vector<std::string> declarations;
  for (int i = 0; i < kernel.constant_count; ++i)
    declarations.emplace_back(kernel.constants[i].declaration);
  EXPECT_THAT(declarations, ElementsAre("double gam", "double qinf[4]", "double root",
                                        "double flow_pressure", "int flow_calls"));
  EXPECT_EQ(kernel.constants[1].size, sizeof(double[4]));
  Buffer before{}, after{};
  run_source(kernel, doubles.data(), before);
  *static_cast<double*>(const_cast<void*>(kernel.constants[0].address)) += 1;
  run_source(kernel, doubles.data(), after);
  EXPECT_NEAR(after[0] - before[0], doubles[0], 1e-12);
}

TEST(Sources, HoldTheValuesOfCompileTimeConstants) {
  const std::string source = named("plain.cpp", "constants").source;
  EXPECT_THAT(source, HasSubstr("constexpr double half = 0x1p-1;"));
  EXPECT_THAT(source, HasSubstr("constexpr int width = 3;"));
}

TEST(Sources, LeaveOutWhatTheKernelDoesNotUse) {
  const std::string source = named("plain.cpp", "helpers").source;
  EXPECT_THAT(source, HasSubstr("double norm() const"));
  EXPECT_THAT(source, Not(HasSubstr("not for kernels")));
  EXPECT_THAT(source, Not(HasSubstr("neither")));
  EXPECT_THAT(source, Not(HasSubstr("Tensor")));
}

TEST(Sources, CheckTheLayoutOfStructures) {
  EXPECT_THAT(named("plain.cpp", "helpers").source,
              HasSubstr("static_assert(sizeof(Vector) == 24 && alignof(Vector) == 8);"));
}

TEST(Facts, AreThoseOfEachFormOfAKernelsLoops) {
  EXPECT_STREQ(named("plain.cpp", "constants").facts, "|write 1x1 all, proof 7");
  EXPECT_EQ(named("plain.cpp", "precision").facts, nullptr) << "only read";
}

TEST(Facts, AreEmbeddedAlsoWithoutASource) {
  const Kernel kernel = named("fallback.cpp", "fills");
  EXPECT_EQ(kernel.source, nullptr);
  EXPECT_THAT(kernel.facts,
              StartsWith("write 1x2 all, proof 7\nwrite 1x3 writes only 2 of its 3 values on "
                         "every path (fallback.cpp:"));
}

TEST(Units, WithEqualNamesHaveTheirOwnKernels) {
  for (const char* name : {"work", "hidden_kernel"}) {
    const Kernel first = named("first_unit.cpp", name), second = named("second_unit.cpp", name);
    EXPECT_NE(first.function, second.function);
    EXPECT_STRNE(first.source, second.source);
    expect_equal_results(first);
    expect_equal_results(second);
  }
}

TEST(Units, ThatShareAKernelShareItsAddress) {
  const auto shared = kernels_of("shared.h");
  ASSERT_EQ(shared.size(), 2U);
  EXPECT_EQ(shared[0].function, shared[1].function);
  EXPECT_STREQ(shared[0].source, shared[1].source);
}

TEST(Units, WithoutLoopsRegisterNothing) {
  EXPECT_THAT(kernels_of("no_loops.cpp"), ElementsAre());
}

TEST(Fallback, GivesTheReasonWhyThereIsNoSource) {
  const auto kernels = kernels_of("fallback.cpp");
  EXPECT_EQ(kernels.size(), 29U);
  for (const Kernel& kernel : kernels) {
    EXPECT_EQ(kernel.source, nullptr) << kernel.name;
    EXPECT_NE(kernel.function, nullptr) << kernel.name;
    ASSERT_NE(kernel.reason, nullptr) << kernel.name;
  }
}

TEST(Fallback, NamesTheObstacle) {
  const auto reason = [](const char* name) {
    return std::string(named("fallback.cpp", name).reason);
  };
  EXPECT_EQ(reason("external"), "calls 'elsewhere', which this unit does not define (line 27)");
  EXPECT_EQ(reason("grows"), "uses 'std::vector' of the standard library");
  EXPECT_EQ(
      reason("structure"),
      "uses the variable 'parameters' of type 'Parameters', which is not a number or an array "
      "of numbers (line 37)");
  EXPECT_EQ(reason("kernel_elsewhere"), "is not defined in this unit");
  EXPECT_THAT(reason("packed"), HasSubstr("requirement 'sizeof(Tight) == 9'"));
  EXPECT_EQ(reason("volatiles"), "uses the volatile variable 'port' (line 76)");
  EXPECT_THAT(
      reason("instances"),
      HasSubstr("has a template in which 'fabs' means something different in each instance"));
  EXPECT_THAT(reason("members"), HasSubstr("tests whether a type has a member"));
  EXPECT_THAT(reason("counts"), HasSubstr("keeps state in the static variable 'calls'"));
  EXPECT_THAT(reason("reads_environment"), HasSubstr("calls 'getenv', which kernels cannot call"));
  EXPECT_THAT(reason("of_another_namespace"), HasSubstr("gcd', which kernels cannot call"));
}

TEST(Fallback, OfKernelsThatChangeAVariableOrMightDoSo) {
  const auto reason = [](const std::string& name) {
    return std::string(named("fallback.cpp", name).reason);
  };
  EXPECT_THAT(reason("changes"), HasSubstr("changes the variable 'changed' (line 59)"));
  for (const char* how : {"pointer", "reference", "helper", "second_pointer", "cast", "element"})
    EXPECT_THAT(reason(std::string("changes_by_") + how), HasSubstr("changes the variable 'list'"));
  for (const char* how : {"result", "member", "array", "lambda", "bytes"})
    EXPECT_THAT(reason(std::string("loses_by_") + how),
                HasSubstr("takes a non-const pointer to the variable 'list', through which it "
                          "may be changed; make it 'const double *'"))
        << how;
}

TEST(Tables, GiveTheLineOfTheKernel) {
  EXPECT_STREQ(kernel_at("first_unit.cpp", 7).name, "work");
}

}  // namespace
}  // namespace op2::test
