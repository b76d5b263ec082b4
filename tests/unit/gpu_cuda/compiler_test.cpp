// SPDX-License-Identifier: BSD-3-Clause
// What stands for NVRTC.
#include <jit/target/cuda/device_headers.hpp>

#include "cuda_program.hpp"

namespace op2::test::gpu::cuda {
namespace {

class Compiler : public CudaProgram {};

TEST_F(Compiler, AnErrorHasNvrtcsFormWithTheLineAndACaret) {
  const auto compiled =
      compile("extern \"C\" __global__ void kernel(int* q) {\n  *q = unknown;\n}\n");
  EXPECT_FALSE(compiled.ok);
  EXPECT_THAT(compiled.log, HasSubstr("test.cu(2): error: identifier \"unknown\" is undefined\n"
                                      "    *q = unknown;\n         ^\n"));
  EXPECT_THAT(compiled.log, HasSubstr("1 error detected in the compilation of \"test.cu\"."));
}

TEST_F(Compiler, LineDirectivesNameTheFileOfTheUser) {
  const auto compiled = compile("#line 212 \"airfoil.cpp\"\nint f() { return x; }\n");
  EXPECT_THAT(compiled.log, HasSubstr("airfoil.cpp(212): error: identifier \"x\" is undefined"));
  EXPECT_THAT(compiled.log, HasSubstr("  int f() { return x; }\n                   ^\n"));
}

TEST_F(Compiler, FrequentErrorsHaveNvrtcsWords) {
  const auto log = compile(
                       "struct Row {};\nint f(Row r) { return r.x; }\nint f(Row) { return 1; }\n"
                       "static_assert(false, \"no rows\");\n")
                       .log;
  EXPECT_THAT(log, HasSubstr("test.cu(2): error: class \"Row\" has no member \"x\""));
  EXPECT_THAT(log, HasSubstr("test.cu(3): error: \"f\" has already been defined"));
  EXPECT_THAT(log, HasSubstr("test.cu(4): error: static assertion failed with \"no rows\""));
}

TEST_F(Compiler, HeadersOfTheHostAreNotThere) {
  EXPECT_THAT(compile("#include <vector>\n").log,
              HasSubstr("test.cu(1): catastrophic error: cannot open source file \"vector\""));
}

TEST_F(Compiler, GivenHeadersAreIncluded) {
  const std::vector<op2::gpu::SourceHeader> headers{
      {"own/limits", "#pragma once\nenum { most = 7 };\n"}};
  const auto compiled =
      op2::gpu::load_nvrtc({"", EMULATED_CUDA}, 0)
          ->compile("#include <own/limits>\nint f() { return most; }\n", "a.cu", headers,
                    {"--gpu-architecture=sm_80", "--std=c++20", "-default-device"});
  EXPECT_TRUE(compiled.ok) << compiled.log;
}

TEST_F(Compiler, AnErrorInAGivenHeaderHasTheHeadersName) {
  const std::vector<op2::gpu::SourceHeader> headers{{"limits", "int a = b;\n"}};
  const auto compiled = op2::gpu::load_nvrtc({"", EMULATED_CUDA}, 0)
                            ->compile("#include <limits>\n", "a.cu", headers, {});
  EXPECT_THAT(
      compiled.log,
      HasSubstr("limits(1): error: identifier \"b\" is undefined\n  int a = b;\n          ^\n"));
}

TEST_F(Compiler, HeadersForGeneratedCodeCompile) {
  std::vector<op2::gpu::SourceHeader> headers;
  std::string source;
  for (const auto& header : jit::device_headers()) {
    headers.push_back({header.name, header.text});
    source += "#include <" + header.name + ">\n";
  }
  const auto compiled =
      op2::gpu::load_nvrtc({"", EMULATED_CUDA}, 0)->compile(source, "a.cu", headers, {});
  EXPECT_TRUE(compiled.ok) << compiled.log;
}

TEST_F(Compiler, AFunctionWithoutABodyIsUnresolved) {
  const auto compiled =
      compile("double other(double);" + kernel_head + "(double* q) { *q = other(1); }");
  EXPECT_EQ(compiled.log, "ptxas fatal   : Unresolved extern function '_Z5otherd'\n");
}

TEST_F(Compiler, AnUnknownOptionOrArchitectureIsRefused) {
  EXPECT_THROW(compile("", {"--no-such-option"}), std::exception);
  EXPECT_THROW(compile("", {"--gpu-architecture=sm_70"}), std::exception);
}

TEST_F(Compiler, DefinitionsReachTheSource) {
  EXPECT_TRUE(
      compile("static_assert(SIZE == 3 && __CUDA_ARCH__ == 900);", {"-arch=sm_90", "-DSIZE=3"}).ok);
}

TEST_F(Compiler, PtxIsTheSourceAndCanBeLoaded) {
  const auto compiled = compile(kernel_head + "(int* q) { *q = 4; }");
  EXPECT_THAT(compiled.ptx, HasSubstr("void kernel(int* q) { *q = 4; }"));
  ModuleHandle module = nullptr;
  EXPECT_EQ(api->module_load(&module, compiled.ptx.c_str(), 0, nullptr, nullptr), 0);
  const auto q = allocate(4);
  EXPECT_EQ(run(function(module), 1, 1, q), "");
  EXPECT_THAT(download<int>(q, 1), ::testing::ElementsAre(4));
}

TEST_F(Compiler, KernelsAreDescribedAsByPtxas) {
  const auto compiled = compile(kernel_head + "() {}", {"-arch=sm_90", "--ptxas-options=-v"});
  EXPECT_THAT(compiled.log, HasSubstr("Compiling entry function 'kernel' for 'sm_90'"));
}

TEST_F(Compiler, TooMuchSharedOrConstantMemoryIsRefused) {
  const auto shared =
      compile(kernel_head + "(int* p) { __shared__ int q[13000]; q[*p] = 1; *p = q[0]; }");
  EXPECT_THAT(shared.log, HasSubstr("uses too much shared data"));
  EXPECT_THAT(compile("extern \"C\" {__constant__ double q[9000];}").log,
              HasSubstr("uses too much global constant data"));
}

TEST_F(Compiler, ParametersHaveAtMost4096Bytes) {
  const auto compiled = compile("struct Big { double q[600]; };" + kernel_head + "(Big) {}");
  EXPECT_THAT(compiled.log, HasSubstr("formal parameter space overflowed"));
}

TEST_F(Compiler, CudaHasNoAtomicAdditionOfLongLong) {
  EXPECT_THAT(compile(kernel_head + "(long long* q) { atomicAdd(q, 1LL); }").log,
              HasSubstr("test.cu(1): error: "));
}

}  // namespace
}  // namespace op2::test::gpu::cuda
