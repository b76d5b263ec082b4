// SPDX-License-Identifier: BSD-3-Clause
// What is generated for GPUs is accepted by NVIDIA's compiler.
#include <sys/resource.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <jit/cache_entry.hpp>
#include <jit/target/cuda/emit_cuda.hpp>
#include <jit/target/cuda/gather.hpp>
#include <jit/target/cuda/kernel_parameters.hpp>
#include <jit/target/cuda/kernel_scope.hpp>
#include <nvrtc/nvrtc_of_tests.hpp>
#include <sched/executor/gpu/packer.hpp>
#include <support/device_nests.hpp>
#include <support/loop_shapes.hpp>

namespace op2::jit {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Texts : test::WithNvrtc {
  CompileResult compile(const std::string& architecture, const LoopNest& nest) const {
    const auto target = target_for(architecture);
    EmittedLoop loop = target->emit(nest);
    return target->compile({nest, {}}, loop);
  }

  CompileResult compile_pulled(int architecture, const LoopNest& nest) const {
    CudaTarget target(nullptr, nvrtc, {architecture}, {.increments = core::Increments::pull});
    EmittedLoop loop = target.emit(nest);
    return target.compile({nest, {}}, loop);
  }

  CompileResult compile_ordered(int architecture, const LoopNest& nest) const {
    CudaTarget target(nullptr, nvrtc, {architecture}, {.contract = false, .reproducible = true});
    EmittedLoop loop = target.emit(nest);
    return target.compile({nest, {}}, loop);
  }

  void expect_all_compile(const std::string& architecture) const {
    for (const test::NamedNest& each : test::device_nests())
      expect_compiled(compile(architecture, each.nest), each.name);
  }

  static void expect_compiled(const CompileResult& result, const std::string& nest) {
    EXPECT_EQ(result.status, CompileStatus::ok) << nest << ": " << result.message;
    for (const Diagnostic& message : result.diagnostics)
      ADD_FAILURE() << nest << ", line " << message.line << " of " << message.file << ": "
                    << message.text;
  }
};

/// All kernels keep everything in registers: those of these roles, which are all that there are.
void expect_registers_only(const std::string& assembly, const std::vector<std::string>& roles,
                           const std::string& nest) {
  const std::vector<KernelResources> kernels = resources_in(assembly);
  EXPECT_EQ(kernels.size(), roles.size()) << nest;
  for (const std::string& role : roles)
    EXPECT_EQ(std::ranges::count_if(
                  kernels, [&](const auto& each) { return each.kernel.starts_with(role + "_"); }),
              1)
        << role << " of " << nest;
  for (const KernelResources& each : kernels) {
    EXPECT_GT(each.registers, 0) << each.kernel;
    EXPECT_EQ(each.stack_bytes, 0) << each.kernel;
    EXPECT_EQ(each.spill_store_bytes, 0) << each.kernel;
    EXPECT_EQ(each.spill_load_bytes, 0) << each.kernel;
  }
}

/// What `CudaTarget::load` asks the driver for.
TEST_F(Texts, CodeNamesItsFunctionsAndNoOthers) {
  for (const test::NamedNest& each : test::airfoil_nests()) {
    const CompileResult result = compile("sm_90", each.nest);
    const std::string_view cubin(reinterpret_cast<const char*>(result.object.data()),
                                 result.object.size());
    const bool reduces = each.name.starts_with("update");
    for (const std::string_view code : {cubin, std::string_view(result.assembly)}) {
      EXPECT_TRUE(names_symbol(code, cuda_symbol(cuda_loop_role, each.nest))) << each.name;
      EXPECT_FALSE(names_symbol(code, cuda_symbol(cuda_pull_role, each.nest))) << each.name;
      EXPECT_EQ(names_symbol(code, cuda_symbol(cuda_fold_role, each.nest)), reduces) << each.name;
    }
  }
}

/// They would be in the memory of the device with each loop.
TEST_F(Texts, CodeHasNoVariablesOfTheLibrary) {
  for (const test::NamedNest& each : test::airfoil_nests())
    EXPECT_THAT(compile("sm_90", each.nest).assembly, Not(HasSubstr("op2_traits"))) << each.name;
}

/// Else it begins with some 3000 new pages.
TEST_F(Texts, ACompilationUsesTheMemoryOfTheOneBefore) {
  const LoopNest nest = test::airfoil_nests()[1].nest;
  const auto page_faults = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
  };
  long fewest = std::numeric_limits<long>::max();
  for (int k = 0; k < 4; ++k) {
    const long before = page_faults();
    compile("sm_90", nest);
    fewest = std::min(fewest, page_faults() - before);
  }
  EXPECT_LT(fewest, 500);
}

TEST_F(Texts, AllCompileForComputeCapability80WithoutWarnings) {
  expect_all_compile("sm_80");
}

TEST_F(Texts, AllCompileForComputeCapability90WithoutWarnings) {
  expect_all_compile("sm_90");
}

TEST_F(Texts, TheKernelOfHaloExchangesCompiles) {
  for (const char* architecture : {"sm_80", "sm_90"}) {
    const CompileResult result = compile(architecture, sched::pack_request().nest);
    EXPECT_EQ(result.status, CompileStatus::ok) << result.message;
    EXPECT_THAT(result.diagnostics, testing::IsEmpty());
    expect_registers_only(result.assembly, {cuda_loop_role}, "pack_request");
  }
}

/// OP2_REPRODUCIBLE=on.
TEST_F(Texts, AllCompileWithSumsInOrder) {
  for (const test::NamedNest& each : test::device_nests()) {
    if (!each.nest.gathered.empty() || bytes_of_sums(each.nest.args) > most_bytes_of_sums) continue;
    for (const int architecture : {80, 90})
      expect_compiled(compile_ordered(architecture, each.nest), each.name);
  }
}

/// @param loop  "op2_loop" or "op2_pull"
std::vector<std::string> roles_of(const LoopNest& nest, const char* loop) {
  if (fold_parameters(nest.args).empty()) return {loop};
  return {loop, cuda_fold_role};
}

TEST_F(Texts, MemoryOfAThreadIsSeen) {
  const LoopNest nest = nest_of({.name = "work",
                                 .source = "void work(const double* x, double* y) {\n"
                                           "  double powers[50] = {1};\n"
                                           "  for (int k = 1; k < 50; ++k)\n"
                                           "    powers[k] = powers[k - 1] * *x;\n"
                                           "  *y = powers[static_cast<int>(*x) % 50];\n}"},
                                {test::dat(0, 1, OP_READ), test::dat(1, 1, OP_WRITE)});
  const std::vector<KernelResources> kernels = resources_in(compile("sm_90", nest).assembly);
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_GE(kernels[0].stack_bytes, 400);
}

TEST_F(Texts, SumsInOrderContractNothingAndAddNoFloatingPointNumbersAtomically) {
  for (const test::NamedNest& each : test::airfoil_nests()) {
    const std::string assembly = compile_ordered(90, each.nest).assembly;
    EXPECT_THAT(assembly, Not(testing::ContainsRegex("\t(atom|red)[.a-z]*add\\.f(32|64)")))
        << each.name;
    EXPECT_THAT(assembly, Not(HasSubstr("\tadd.ftz"))) << each.name;
    EXPECT_THAT(assembly, Not(HasSubstr("\tdiv.approx"))) << each.name;
    std::vector<std::string> roles = roles_of(each.nest, cuda_loop_role);
    for (std::size_t k = 0; k < added_dats(each.nest.args).size(); ++k)
      roles.push_back(gather_role(k));
    expect_registers_only(assembly, roles, each.name);
  }
}

TEST_F(Texts, KernelsOfAirfoilNeedNoSpilledRegisters) {
  for (const char* architecture : {"sm_80", "sm_90"})
    for (const test::NamedNest& each : test::airfoil_nests())
      expect_registers_only(compile(architecture, each.nest).assembly,
                            roles_of(each.nest, cuda_loop_role), each.name);
}

TEST_F(Texts, LoopsThatGatherIncrementsNeedNoAtomicsAndNoSpilledRegisters) {
  for (const test::NamedNest& each : test::airfoil_nests()) {
    if (!can_pull(each.nest.args)) continue;
    for (const int architecture : {80, 90}) {
      const CompileResult result = compile_pulled(architecture, each.nest);
      EXPECT_THAT(result.diagnostics, testing::IsEmpty()) << each.name;
      expect_registers_only(result.assembly, roles_of(each.nest, cuda_pull_role), each.name);
      EXPECT_THAT(result.assembly, Not(testing::ContainsRegex("\t(atom|red)\\."))) << each.name;
    }
  }
}

TEST_F(Texts, AHalfStepThatGathersIsOneKernelWithoutSpilledRegisters) {
  const test::NamedNest half_step = test::airfoil_half_step();
  for (const int architecture : {80, 90}) {
    const CompileResult result = compile_pulled(architecture, half_step.nest);
    EXPECT_THAT(result.diagnostics, testing::IsEmpty());
    expect_registers_only(result.assembly, {cuda_pull_role, cuda_fold_role}, half_step.name);
    EXPECT_THAT(result.assembly, Not(testing::ContainsRegex("\t(atom|red)\\.")));
  }
}

TEST_F(Texts, TheBinaryIsForTheArchitectureAndTheAssemblyIsPtx) {
  const CompileResult result = compile("sm_80", test::airfoil_nests()[0].nest);
  const std::string object(reinterpret_cast<const char*>(result.object.data()),
                           result.object.size());
  EXPECT_THAT(object, testing::StartsWith("\177ELF"));
  EXPECT_THAT(result.assembly, HasSubstr(".target sm_80"));
  EXPECT_THAT(result.assembly, HasSubstr(".visible .entry op2_loop_save_soln("));
}

/// By which a constant that has another name is told from one that is not needed.
TEST_F(Texts, ABinaryShowsWhichConstantsItReads) {
  for (const int dim : {1, 9000})
    for (const char* architecture : {"sm_90", "sm_999"}) {
      const LoopNest nest =
          nest_of({.name = "work",
                   .source = fmt::format("void work(double* x) {{ *x *= gam{}; }}",
                                         dim > 1 ? "[static_cast<int>(*x)]" : ""),
                   .constants = {{"gam", Type::f64, dim}, {"mach", Type::f64, dim}}},
                  {test::dat(0, 1, OP_RW)});
      const CompileResult result = compile(architecture, nest);
      const std::string binary(reinterpret_cast<const char*>(result.object.data()),
                               result.object.size());
      EXPECT_NE(binary.find(device_symbol(0, "op2_const_gam")), binary.npos);
      EXPECT_TRUE(reads_constant(binary, 0)) << architecture << ", " << dim;
      EXPECT_FALSE(reads_constant(binary, 2)) << architecture << ", " << dim;
      if (binary.starts_with("//")) {  // PTX
        EXPECT_FALSE(reads_constant(binary, 1)) << architecture << ", " << dim;
      }
    }
}

TEST_F(Texts, RowsAreReadAndWrittenBySixteenBytes) {
  const std::string assembly = compile("sm_90", test::airfoil_nests()[0].nest).assembly;
  EXPECT_THAT(assembly, HasSubstr("ld.global.nc.v2.f64"));
  EXPECT_THAT(assembly, HasSubstr("st.global.v2.f64"));
}

TEST_F(Texts, ProductsAreRoundedBeforeTheyAreAddedIfThatIsWanted) {
  const LoopNest nest = test::airfoil_nests()[1].nest;
  const auto target = target_for("sm_90", false);
  EXPECT_NE(target->options(), target_for("sm_90")->options());
  EmittedLoop loop = target->emit(nest);
  EXPECT_THAT(compile("sm_90", nest).assembly, HasSubstr("fma.rn.f64 \t%fd"));
  EXPECT_THAT(target->compile({nest, {}}, loop).assembly, HasSubstr("mul.rn.f64 \t%fd"));
}

TEST_F(Texts, ADeviceNewerThanTheCompilerGetsPtx) {
  const auto target = target_for("sm_999");
  EXPECT_EQ(target->info().cpu, nvrtc->architecture_for(999).name());
  EXPECT_THAT(target->info().cpu, testing::StartsWith("compute_"));
  const LoopNest nest = test::airfoil_nests()[0].nest;
  EmittedLoop loop = target->emit(nest);
  const CompileResult result = target->compile({nest, {}}, loop);
  EXPECT_EQ(result.status, CompileStatus::ok);
  EXPECT_EQ(result.object.back(), std::byte{0});
}

}  // namespace
}  // namespace op2::jit
