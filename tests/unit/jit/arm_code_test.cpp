// SPDX-License-Identifier: BSD-3-Clause
// Code for processors of Arm, compiled on whichever machine: how many elements at once, and with
// how many instructions. Whether it computes what it should is for `make test-arm`.
#include <algorithm>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include <dlfcn.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <jit/llvm/machine.hpp>
#include <jit/target/cpu/cpu_target.hpp>
#include <support/jit_options.hpp>
#include <support/loop_request.hpp>
#include <support/loop_shapes.hpp>

namespace op2::jit::test {
namespace {

using op2::test::dat;
using op2::test::loop_request;
using testing::HasSubstr;
using testing::Not;

/// Of Airfoil, with its constants.
constexpr const char* flux =
    "void flux(const double* x1, const double* x2, const double* q1, const double* q2,\n"
    "          const double* adt1, const double* adt2, double* res1, double* res2) {\n"
    "  const double gm1 = 0.4, eps = 0.05;\n"
    "  const double dx = x1[0] - x2[0], dy = x1[1] - x2[1];\n"
    "  const double v1 = 1 / q1[0], v2 = 1 / q2[0];\n"
    "  const double p1 = gm1 * (q1[3] - 0.5 * v1 * (q1[1] * q1[1] + q1[2] * q1[2]));\n"
    "  const double p2 = gm1 * (q2[3] - 0.5 * v2 * (q2[1] * q2[1] + q2[2] * q2[2]));\n"
    "  const double s1 = v1 * (q1[1] * dy - q1[2] * dx), s2 = v2 * (q2[1] * dy - q2[2] * dx);\n"
    "  const double mu = 0.5 * eps * (*adt1 + *adt2);\n"
    "  const double f[] = {\n"
    "    0.5 * (s1 * q1[0] + s2 * q2[0]) + mu * (q1[0] - q2[0]),\n"
    "    0.5 * (s1 * q1[1] + p1 * dy + s2 * q2[1] + p2 * dy) + mu * (q1[1] - q2[1]),\n"
    "    0.5 * (s1 * q1[2] - p1 * dx + s2 * q2[2] - p2 * dx) + mu * (q1[2] - q2[2]),\n"
    "    0.5 * (s1 * (q1[3] + p1) + s2 * (q2[3] + p2)) + mu * (q1[3] - q2[3])};\n"
    "  for (int n = 0; n < 4; ++n) { res1[n] += f[n]; res2[n] -= f[n]; }\n"
    "}\n";

std::vector<ArgShape> args_of_flux() {
  const auto of_nodes = [](int column) {
    ArgShape arg = dat(0, 2, OP_READ, column);
    arg.map = 1;
    return arg;
  };
  return {of_nodes(0),           of_nodes(1),           dat(1, 4, OP_READ, 0),
          dat(1, 4, OP_READ, 1), dat(2, 1, OP_READ, 0), dat(2, 1, OP_READ, 1),
          dat(3, 4, OP_INC, 0),  dat(3, 4, OP_INC, 1)};
}

/// The compiler of this machine, for another one; it links nothing.
class CrossBackend : public Backend {
 public:
  /// @param features  for the compiler: "+sve,-sve2"
  CrossBackend(const std::string& cpu, const std::string& features, int vector_bytes)
      : machine_{{.triple = "aarch64-unknown-linux-gnu",
                  .cpu = cpu,
                  .features = features + sve_of(features, vector_bytes),
                  .compiler = "",
                  .vector_bytes = vector_bytes},
                 features} {
    const std::string file = op2::test::plugin_folder() + "/libop2_clang.so";
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    for (const char* part : {"TargetInfo", "TargetMC", "Target", "AsmPrinter", "AsmParser"}) {
      const std::string name = fmt::format("LLVMInitializeAArch64{}", part);
      auto* start = reinterpret_cast<void (*)()>(dlsym(library, name.c_str()));
      if (start == nullptr) return;
      start();
    }
    knows_processor_ = true;
    const auto make = reinterpret_cast<CompilerFactory>(dlsym(library, "op2_jit_compiler"));
    if (make != nullptr) compiler_.reset(make(machine_));
  }

  /// Not if the plug-in contains an LLVM for its own processor alone.
  bool knows_processor() const { return knows_processor_; }
  TargetInfo target() const override { return machine_.info; }
  CompileResult compile(const CompileRequest& request) override {
    return compiler_ != nullptr ? compiler_->compile(request)
                                : failed_compilation(CompileStatus::unavailable, dlerror());
  }
  LinkResult link(const std::vector<std::byte>&, const std::string&,
                  const std::vector<LinkSymbol>&) override {
    return {};
  }

 private:
  static std::string sve_of(const std::string& features, int vector_bytes) {
    const bool has_sve = features.find("+sve,") != std::string::npos;
    return has_sve ? fmt::format(",sve-bits={}", 8 * vector_bytes) : "";
  }

  const Machine machine_;
  std::unique_ptr<Compiler> compiler_;
  bool knows_processor_ = false;
};

struct Code {
  CompileResult result;
  SimdChoice simd;
};

Code code_of(const std::shared_ptr<Backend>& backend, const char* name, const std::string& text,
             const std::vector<ArgShape>& args) {
  CpuTarget target(backend, op2::test::jit_options({}, [] { return std::vector<Constant>(); }));
  const op_kernel_core kernel{name,  text.c_str(), "",      static_cast<std::int32_t>(args.size()),
                              false, nullptr,      nullptr, nullptr,
                              -1};
  const LoopRequest request = loop_request(kernel, args, {});
  EmittedLoop loop = target.emit(request.nest);
  CompileResult result = target.compile(request, loop);
  EXPECT_EQ(result.status, CompileStatus::ok) << result.message;
  return {std::move(result), loop.simd};
}

/// The longest loop of the function that executes blocks, as text.
std::string longest_loop(const std::string& assembly) {
  const std::size_t start = assembly.find("\nop2_blocks:");
  std::istringstream lines(assembly.substr(std::min(start, assembly.size())));
  std::map<std::string, std::size_t> labels;
  std::string text, longest;
  for (std::string line; std::getline(lines, line) && !line.starts_with(".Lfunc_end");) {
    if (line.starts_with(".LBB")) labels[line.substr(0, line.find(':'))] = text.size();
    if (!line.starts_with("\t") || line.starts_with("\t.")) continue;
    text += line + '\n';
    const auto target = labels.find(line.substr(std::min(line.rfind(".LBB"), line.size())));
    if (target != labels.end() && text.size() - target->second > longest.size())
      longest = text.substr(target->second);
  }
  return longest;
}

double instructions_of_element(const Code& code) {
  const std::string loop = longest_loop(code.result.assembly);
  return static_cast<double>(std::ranges::count(loop, '\n')) / code.simd.width;
}

struct Processor {
  const char *name, *cpu, *features;
  int vector_bytes, width;
  double most_instructions;  ///< of an edge
};
void PrintTo(const Processor& processor, std::ostream* out) {
  *out << processor.name;
}

class CodeForArm : public testing::TestWithParam<Processor> {};

TEST_P(CodeForArm, ExecutesEdgesInWholeRegisters) {
  const auto backend =
      std::make_shared<CrossBackend>(GetParam().cpu, GetParam().features, GetParam().vector_bytes);
  if (!backend->knows_processor()) GTEST_SKIP() << "this LLVM makes no code for AArch64";
  const Code made = code_of(backend, "flux", flux, args_of_flux());
  EXPECT_EQ(made.simd.width, GetParam().width) << description_of(made.simd);
  const double instructions = instructions_of_element(made);
  std::printf("%s: %d edges at once, %.1f instructions each\n", GetParam().name, made.simd.width,
              instructions);
  EXPECT_LT(instructions, GetParam().most_instructions) << longest_loop(made.result.assembly);
}

INSTANTIATE_TEST_SUITE_P(
    Of, CodeForArm,
    testing::Values(Processor{"NEON", "neoverse-n1", "+neon,-sve,-sve2", 32, 4, 75},
                    Processor{"SVE256", "neoverse-v1", "+neon,+sve,-sve2", 32, 4, 52},
                    Processor{"SVE512", "a64fx", "+neon,+sve,-sve2", 64, 8, 46}),
    [](const auto& of) { return std::string(of.param.name); });

}  // namespace
}  // namespace op2::jit::test
