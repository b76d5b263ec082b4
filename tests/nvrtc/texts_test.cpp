// SPDX-License-Identifier: BSD-3-Clause
// What is generated for GPUs is accepted by NVIDIA's compiler.
#include <gmock/gmock.h>

#include <jit/target/cuda/increments.hpp>
#include <jit/target/cuda/ordered_sums.hpp>
#include <nvrtc/nvrtc_of_tests.hpp>
#include <support/device_nests.hpp>

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
    CudaTarget target(nullptr, nvrtc,
                      {.architecture = {architecture}, .increments = core::Increments::pull});
    EmittedLoop loop = target.emit(nest);
    return target.compile({nest, {}}, loop);
  }

  CompileResult compile_ordered(int architecture, const LoopNest& nest) const {
    CudaTarget target(nullptr, nvrtc,
                      {.architecture = {architecture}, .contract = false, .reproducible = true});
    EmittedLoop loop = target.emit(nest);
    return target.compile({nest, {}}, loop);
  }

  void expect_all_compile(const std::string& architecture) const {
    for (const test::NamedNest& each : test::device_nests()) {
      const CompileResult result = compile(architecture, each.nest);
      EXPECT_EQ(result.status, CompileStatus::ok) << each.name << ": " << result.message;
      for (const Diagnostic& message : result.diagnostics)
        ADD_FAILURE() << each.name << ", line " << message.line << " of " << message.file << ": "
                      << message.text;
    }
  }
};

TEST_F(Texts, AllCompileForComputeCapability80WithoutWarnings) {
  expect_all_compile("sm_80");
}

TEST_F(Texts, AllCompileForComputeCapability90WithoutWarnings) {
  expect_all_compile("sm_90");
}

/// OP2_REPRODUCIBLE=on.
TEST_F(Texts, AllCompileWithSumsInOrder) {
  for (const test::NamedNest& each : test::device_nests()) {
    if (!each.nest.gathered.empty() || bytes_of_sums(each.nest.args) > most_bytes_of_sums) continue;
    for (const int architecture : {80, 90}) {
      const CompileResult result = compile_ordered(architecture, each.nest);
      EXPECT_EQ(result.status, CompileStatus::ok) << each.name << ": " << result.message;
      for (const Diagnostic& message : result.diagnostics)
        ADD_FAILURE() << each.name << ", line " << message.line << " of " << message.file << ": "
                      << message.text;
    }
  }
}

TEST_F(Texts, SumsInOrderContractNothingAndAddNoFloatingPointNumbersAtomically) {
  for (const test::NamedNest& each : test::airfoil_nests()) {
    const std::string assembly = compile_ordered(90, each.nest).assembly;
    EXPECT_THAT(assembly, Not(testing::ContainsRegex("\t(atom|red)[.a-z]*add\\.f(32|64)")))
        << each.name;
    EXPECT_THAT(assembly, Not(HasSubstr("\tadd.ftz"))) << each.name;
    EXPECT_THAT(assembly, Not(HasSubstr("\tdiv.approx"))) << each.name;
    EXPECT_THAT(assembly, Not(testing::ContainsRegex("[1-9][0-9]* bytes spill"))) << each.name;
  }
}

TEST_F(Texts, KernelsOfAirfoilNeedNoSpilledRegisters) {
  for (const test::NamedNest& each : test::airfoil_nests()) {
    const std::string assembly = compile("sm_90", each.nest).assembly;
    EXPECT_THAT(assembly, HasSubstr("0 bytes spill stores, 0 bytes spill loads")) << each.name;
    EXPECT_THAT(assembly, Not(testing::ContainsRegex("[1-9][0-9]* bytes spill"))) << each.name;
  }
}

TEST_F(Texts, LoopsThatGatherIncrementsNeedNoAtomicsAndNoSpilledRegisters) {
  for (const test::NamedNest& each : test::airfoil_nests()) {
    if (!can_pull(each.nest.args)) continue;
    for (const int architecture : {80, 90}) {
      const CompileResult result = compile_pulled(architecture, each.nest);
      EXPECT_THAT(result.diagnostics, testing::IsEmpty()) << each.name;
      EXPECT_THAT(result.assembly, HasSubstr(".visible .entry op2_pull_")) << each.name;
      EXPECT_THAT(result.assembly, HasSubstr("0 bytes stack frame, 0 bytes spill stores"));
      EXPECT_THAT(result.assembly, Not(testing::ContainsRegex("\t(atom|red)\\."))) << each.name;
    }
  }
}

TEST_F(Texts, AHalfStepThatGathersIsOneKernelWithoutSpilledRegisters) {
  for (const int architecture : {80, 90}) {
    const CompileResult result = compile_pulled(architecture, test::airfoil_half_step().nest);
    EXPECT_THAT(result.diagnostics, testing::IsEmpty());
    EXPECT_THAT(result.assembly, HasSubstr(".visible .entry op2_pull_"));
    EXPECT_THAT(result.assembly, HasSubstr("0 bytes stack frame, 0 bytes spill stores"));
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
