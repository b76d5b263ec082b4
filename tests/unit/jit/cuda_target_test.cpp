// SPDX-License-Identifier: BSD-3-Clause
// What identifies the code of a GPU, with a compiler that returns what it got.
#include <gmock/gmock.h>

#include <jit/target/cuda/cuda_target.hpp>
#include <support/loop_shapes.hpp>

namespace op2::jit {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

constexpr const char* versions[] = {"12.2", "13.0"};

CudaTarget target_with(const std::string& version, bool contract = true,
                       bool reproducible = false) {
  const auto nvrtc =
      gpu::load_nvrtc({.driver = {}, .nvrtc = OP2_STUB_FOLDER "/nvrtc/libnvrtc-" + version}, 0);
  return {nullptr, nvrtc, {90}, {.contract = contract, .reproducible = reproducible}};
}

/// All that the compiler gets, the options last.
std::string passed(CudaTarget& target) {
  const LoopNest nest =
      nest_of({.name = "work", .source = "void work(double* x) {}"}, {test::dat(0, 1, OP_RW)});
  EmittedLoop loop = target.emit(nest);
  return target.compile({nest, {}}, loop).assembly;
}

TEST(CudaTarget, AllOptionsOfTheCompilerAreInTheKey) {
  for (const char* version : versions)
    for (const bool contract : {true, false})
      for (const bool reproducible : {true, false}) {
        CudaTarget target = target_with(version, contract, reproducible);
        const std::string text = passed(target), key = " " + target.options();
        const std::string options = text.substr(text.rfind(" --std="));
        EXPECT_THAT(key, EndsWith(options + " "));
        EXPECT_THAT(text, EndsWith("> " + options.substr(1)));
      }
}

TEST(CudaTarget, SumsInOrderForbidToContract) {
  EXPECT_THAT(target_with("13.0", false, true).options(),
              testing::AllOf(HasSubstr(" --fmad=false "), HasSubstr(" --ftz=false "),
                             HasSubstr(" --prec-div=true --prec-sqrt=true ")));
}

TEST(CudaTarget, TheKeyNamesTheVersionAndTheBuildOfTheCompiler) {
  EXPECT_EQ(target_with("12.2").info().compiler, "NVRTC 12.2 0122");
  EXPECT_EQ(target_with("13.0").info().compiler, "NVRTC 13.0 0130");
}

}  // namespace
}  // namespace op2::jit
