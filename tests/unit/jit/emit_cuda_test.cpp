// SPDX-License-Identifier: BSD-3-Clause
// The structure of what is generated for GPUs; tests/nvrtc compiles it, tests/unit/jit_cuda runs
// it.
#include <gmock/gmock.h>

#include <core/error.hpp>
#include <jit/target/cuda/emit_cuda.hpp>
#include <jit/target/cuda/kernel_parameters.hpp>
#include <jit/target/cuda/kernel_scope.hpp>
#include <jit/target/cuda/ways.hpp>
#include <support/loop_shapes.hpp>

namespace op2::jit {
namespace {

using Kind = KernelParameter::Kind;
using Way = ArgumentWay;
using test::dat;
using test::element_number;
using test::global;
using test::off;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

LoopNest work(std::string source, std::vector<ArgShape> args = {}) {
  return nest_of({.name = "work", .source = std::move(source)}, std::move(args));
}

TEST(EmitCuda, SumsThatAreZeroAreNeitherLoadedNorStored) {
  LoopNest nest = work("", {dat(0, 2, OP_INC, 0), dat(0, 2, OP_RW)});
  nest.gathered = {1};
  nest.calls.push_back(nest.calls.front());
  nest.calls[0].args = {{.position = 0, .access = OP_INC}};
  nest.calls[1].args = {{.position = 1, .access = OP_RW}};
  const auto load = HasSubstr("load(op2_sum0,"), zero = HasSubstr("op2_sum0{};");
  const auto store = HasSubstr(" op2_sum0);");
  EXPECT_THAT(emit_cuda(nest), AllOf(load, store, Not(zero)));
  nest.zero_initialised = {0};
  EXPECT_THAT(emit_cuda(nest), AllOf(Not(load), store, zero));
  nest.zero_initialised = {};
  nest.not_stored = {0};
  EXPECT_THAT(emit_cuda(nest), AllOf(load, Not(store)));
}

TEST(KernelParameters, HaveOneForEachDatAndEachColumnOfAMap) {
  const std::vector<ArgShape> args = {dat(0, 2, OP_READ, 0), dat(0, 2, OP_READ, 1),
                                      dat(1, 1, OP_RW), element_number(), global(1, OP_READ)};
  EXPECT_THAT(kernel_parameters(args),
              ElementsAre(KernelParameter{Kind::dat, 0}, KernelParameter{Kind::column, 0},
                          KernelParameter{Kind::column, 1}, KernelParameter{Kind::dat, 2},
                          KernelParameter{Kind::row_numbers, 3}, KernelParameter{Kind::global, 4}));
  EXPECT_TRUE(fold_parameters(args).empty());
}

TEST(KernelParameters, OfReductionsAreResultAndPartialsInBothKernels) {
  const std::vector<ArgShape> args = {off(dat(0, 1, OP_READ)), dat(1, 1, OP_READ),
                                      global(2, OP_MIN)};
  EXPECT_THAT(kernel_parameters(args),
              ElementsAre(KernelParameter{Kind::dat, 1}, KernelParameter{Kind::result, 2},
                          KernelParameter{Kind::partials, 2}));
  EXPECT_THAT(fold_parameters(args),
              ElementsAre(KernelParameter{Kind::result, 2}, KernelParameter{Kind::partials, 2}));
}

TEST(KernelParameters, GlobalsThatElementsSetKeepALoopFromTheDevice) {
  EXPECT_FALSE(runs_on_device(std::vector{global(1, OP_WRITE)}));
  EXPECT_FALSE(runs_on_device(std::vector{global(1, OP_RW)}));
  EXPECT_TRUE(runs_on_device(std::vector{global(1, OP_MAX), dat(0, 1, OP_WRITE)}));
}

TEST(ArgumentWays, ShortRowsThatAreOnlyReadAreLoaded) {
  EXPECT_THAT(
      ways_of(std::vector{dat(0, 16, OP_READ), dat(0, 16, OP_READ, 0), dat(1, 17, OP_READ)}),
      ElementsAre(Way::loaded, Way::loaded, Way::in_place));
}

TEST(ArgumentWays, RowsAreStoredAsAWholeIfThatTakesFewerAccesses) {
  EXPECT_THAT(ways_of(std::vector{dat(0, 4, OP_WRITE), dat(1, 3, OP_RW), dat(2, 4, OP_RW, 0)}),
              ElementsAre(Way::stored, Way::in_place, Way::in_place));
  EXPECT_THAT(ways_of(std::vector{dat(0, 4, OP_RW), dat(0, 4, OP_READ, 1)}),
              ElementsAre(Way::in_place, Way::in_place));
}

TEST(ArgumentWays, IncrementsThroughMapsAreAddedAndWithThemThoseOfTheElementsRow) {
  EXPECT_THAT(ways_of(std::vector{dat(0, 1, OP_INC, 0), dat(0, 1, OP_INC), dat(1, 1, OP_INC)}),
              ElementsAre(Way::added, Way::added, Way::in_place));
}

TEST(EmitCuda, PutsKernelsIntoNamespacesWithTheirFilesAndWithoutTheirMacrosBehind) {
  LoopNest nest = work("#include \"gas.h\"\n#define TWO 2\nvoid work(const double* x) {}",
                       {dat(0, 1, OP_READ)});
  nest.calls[0].includes = {{"gas.h", "#include \"more.h\"\n"}, {"more.h", "#define THREE 3\n"}};
  EXPECT_THAT(emit_cuda(nest),
              AllOf(HasSubstr("namespace op2_kernel0 {"),
                    HasSubstr("#line 1 \"op2_call0/work\"\n#include \"op2_call0/gas.h\"\n"),
                    HasSubstr("#undef THREE\n#undef TWO\n")));
  EXPECT_EQ(scoped_files(nest)[0].text, "#include \"op2_call0/more.h\"\n");
}

TEST(EmitCuda, NamesOfTheSourceAtFileScopeAreFoundInItsNamespace) {
  EXPECT_THAT(emit_cuda(work("double help();\nvoid work(double* x) {\n"
                             "  *x = ::help() + ::sqrt(2.0) + std::fabs(*x) + A::b;\n}",
                             {dat(0, 1, OP_RW)})),
              HasSubstr("*x = ::op2_kernel0::help() + ::sqrt(2.0) + std::fabs(*x) + A::b;"));
}

TEST(EmitCuda, FunctionsOfTheLibraryAreNotHiddenByThoseOfTheSource) {
  const std::string text =
      emit_cuda(work("static double pow(double x, int n) { return x; }\n"
                     "static double norm(double x) { return x; }\n"
                     "void work(double* x) { *x = pow(*x, 0.5); }",
                     {dat(0, 1, OP_RW)}));
  EXPECT_THAT(text, AllOf(HasSubstr("double pow(double x, double y) { return ::pow(x, y); }\n"),
                          Not(HasSubstr("::norm(x"))));
}

TEST(EmitCuda, HeadersOfAllKernelsAreIncludedAtFileScope) {
  const std::string text =
      emit_cuda(work("#include <climits>\nvoid work(const double* x) {}", {dat(0, 1, OP_READ)}));
  EXPECT_LT(text.find("#include <climits>\n#include <cmath>"), text.find("namespace op2_kernel0"));
}

TEST(EmitCuda, ConstantsAreInConstantMemoryAsLongAsTheyFit) {
  LoopNest nest = work("void work(const double* x) {}", {dat(0, 1, OP_READ)});
  nest.calls[0].constants = {{"a", Type::f64, 6000}, {"b", Type::f64, 6000}, {"c"}};
  EXPECT_THAT(emit_cuda(nest),
              AllOf(HasSubstr("namespace op2_constants0 { __constant__ double a[6000]; }"),
                    HasSubstr("namespace op2_constants1 { __device__ double b[6000]; }"),
                    HasSubstr("namespace op2_constants2 { __constant__ double c; }"),
                    HasSubstr("using op2_constants2::c;")));
  static const double variable = 0;
  nest.calls[0].constants = {{"a", Type::f64, 1, "double a[20][40]", &variable},
                             {"b", Type::f64, 1, "double b[90][90]", &variable},
                             {"c", Type::f64, 1, "double c[count]", &variable},
                             {"d", Type::f64, 1, "double d[4 * 5000]", &variable}};
  EXPECT_THAT(emit_cuda(nest), AllOf(HasSubstr("{ __constant__ double a[20][40]; }"),
                                     HasSubstr("{ __device__ double b[90][90]; }"),
                                     HasSubstr("{ __device__ double c[count]; }"),
                                     HasSubstr("{ __device__ double d[4 * 5000]; }")));
  EXPECT_EQ(device_symbol(1, "op2_const_b"), "_ZN14op2_constants11bE");
  EXPECT_EQ(device_symbol(12, "op2_const3_q_inf"), "_ZN15op2_constants125q_infE");
}

TEST(EmitCuda, AnArgumentThatIsOffIsANullPointer) {
  EXPECT_THAT(
      emit_cuda(work("void work(const double* x, const double* y) {}",
                     {dat(0, 1, OP_READ), off(dat(1, 1, OP_READ))})),
      AllOf(HasSubstr("op2_row0.values)},\n        nullptr);"), Not(HasSubstr("op2_dat1"))));
}

TEST(EmitCuda, TheSecondKernelIsThereOnlyForReductions) {
  EXPECT_THAT(emit_cuda(work("void work(const double* x) {}", {dat(0, 1, OP_READ)})),
              Not(HasSubstr("op2_fold_work(")));
  EXPECT_THAT(emit_cuda(work("void work(double* s) {}", {global(1, OP_INC)})),
              HasSubstr("__launch_bounds__(256) op2_fold_work("));
}

TEST(EmitCuda, FunctionsHaveTheNamesOfKernelsForProfilers) {
  LoopNest nest = work("void work(double* s) {}", {global(1, OP_INC)});
  nest.calls.push_back({.name = "rest", .source = "void rest() {}"});
  EXPECT_EQ(cuda_entry(nest), "op2_loop_work_rest");
  EXPECT_THAT(emit_cuda(nest),
              AllOf(HasSubstr(" op2_loop_work_rest("), HasSubstr(" op2_fold_work_rest(")));
  nest.calls[1].name = std::string(200, 'n');
  EXPECT_EQ(cuda_entry(nest), "op2_loop_work");
}

TEST(EmitCuda, ALoopThatIsNotForTheDeviceIsAnInternalError) {
  EXPECT_THROW(emit_cuda(work("void work(double* s) {}", {global(1, OP_WRITE)})), Error);
}

// Functions of one binary find each other by the ends of their names, however long those are.

/// Adds to two dats through a map, and to a global.
const std::vector<ArgShape> sums = {test::dat(0, 1, OP_READ), test::dat(1, 2, OP_INC, 0),
                                    test::dat(2, 1, OP_INC, 1), test::global(1, OP_INC)};

LoopNest named(const std::string& name) {
  return nest_of({.name = name}, sums);
}

LoopNest fused(const std::string& first, const std::string& second) {
  LoopNest nest = named(first);
  nest.calls.push_back({.name = second, .args = {{0, OP_READ}}});
  return nest;
}

void expect_found(const LoopNest& nest) {
  const std::string text = emit_cuda(nest, core::Increments::rows, true);
  const std::string loop = cuda_entry(nest, core::Increments::rows, true);
  for (const std::string& role :
       {std::string(cuda_loop_role), std::string(cuda_fold_role), gather_role(0), gather_role(1)})
    EXPECT_THAT(text, HasSubstr(" " + role + ending_of(loop) + "(")) << loop;
}

TEST(KernelSymbols, OfAllRolesEndAlikeForNamesOfEveryLength) {
  for (std::size_t size = 90; size <= 125; ++size) {
    expect_found(named(std::string(size, 'k')));
    expect_found(fused("flux", std::string(size - 5, 'k')));
    expect_found(fused(std::string(size / 2, 'k'), std::string(size - size / 2 - 1, 'l')));
  }
}

TEST(KernelSymbols, NameAsManyKernelsAsFitInto100Characters) {
  const std::string kernel(49, 'k');
  EXPECT_EQ(cuda_symbol(cuda_loop_role, fused(kernel, kernel)),
            "op2_loop_" + kernel + "_" + kernel);
  EXPECT_EQ(cuda_symbol(cuda_fold_role, fused(kernel, kernel + "k")), "op2_fold_" + kernel);
  EXPECT_EQ(cuda_symbol(gather_role(12).c_str(), fused(kernel, kernel)),
            "op2_gather12_" + kernel + "_" + kernel);
}

}  // namespace
}  // namespace op2::jit
