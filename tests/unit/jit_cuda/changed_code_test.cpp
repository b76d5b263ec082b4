// SPDX-License-Identifier: BSD-3-Clause
// Planted mistakes in generated kernels and their library: the emulated device finds each.
#include <dlfcn.h>

#include <numeric>

#include <gmock/gmock.h>

#include <gpu/module.hpp>
#include <gpu/nvrtc.hpp>
#include <jit/target/cuda/device_headers.hpp>
#include <jit/target/cuda/emit_cuda.hpp>
#include <jit/target/cuda/kernel_parameters.hpp>
#include <op2/error.hpp>
#include <support/loop_shapes.hpp>
#include <unit/jit_cuda/loop_data.hpp>

namespace op2::jit {
namespace {

using test::dat;
using testing::AnyOf;
using testing::HasSubstr;

constexpr int edges = 700, nodes = 60;

/// A function of the emulator.
template <class F>
F* of_emulator(const char* name) {
  void* library = dlopen(EMULATED_CUDA, RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<F*>(dlsym(library, name));
}

/// The n-th place where the code has the first words gets the others.
struct Change {
  std::string words, others;
  int place = 1;
};

/// @return  whether the text has the place
bool apply(const Change& change, std::string& text) {
  std::size_t at = text.find(change.words);
  for (int k = 1; k < change.place && at != std::string::npos; ++k)
    at = text.find(change.words, at + 1);
  if (at != std::string::npos) text.replace(at, change.words.size(), change.others);
  return at != std::string::npos;
}

/// Increments rows of two nodes of each edge; also sums if asked for.
LoopNest nest_of_increments(bool sums) {
  std::string source = "void work(const double* x, double* a, double* b";
  source += sums ? ", double* sum) { sum[0] += x[0]; sum[1] += 1;" : ") {";
  source += " for (int k = 0; k < 3; ++k) { a[k] += x[0]; b[k] += 2 * x[0]; } }";
  std::vector<ArgShape> args{dat(0, 1, OP_READ), dat(1, 3, OP_INC, 0), dat(1, 3, OP_INC, 1)};
  if (sums) args.push_back(test::global(2, OP_INC));
  return nest_of({.name = "work", .source = source}, args);
}

struct ChangedCode : testing::Test {
  ChangedCode() { restart(); }
  void restart() {
    device.reset();
    of_emulator<void()>("op2_emu_reset")();
    device = gpu::Device::open({EMULATED_CUDA, EMULATED_CUDA}, 0);
  }
  ~ChangedCode() override { of_emulator<void()>("op2_emu_reset")(); }

  std::vector<std::byte> compile(const LoopNest& nest, const Change& change, bool ordered) const {
    std::vector<gpu::SourceHeader> headers;
    bool changed = change.words.empty();
    std::string source = emit_cuda(nest, core::Increments::rows, ordered);
    for (const IncludedFile& header : device_headers()) {
      headers.push_back({header.name, header.text});
      const bool is_used = source.find("#include <" + header.name + ">") != source.npos;
      changed = changed || (is_used && apply(change, headers.back().text));
    }
    EXPECT_TRUE(changed || apply(change, source)) << change.words << " is not in " << source;
    const auto nvrtc = gpu::load_nvrtc({EMULATED_CUDA, EMULATED_CUDA}, device->driver_version());
    const auto compiled = nvrtc->compile(source, "loop.cu", headers, {"-arch=sm_90"});
    EXPECT_TRUE(compiled.ok) << compiled.log;
    return compiled.cubin;
  }

  /// @return  what the device finds; empty: nothing
  std::string findings(bool sums, const Change& change) {
    const LoopNest nest = nest_of_increments(sums);
    const gpu::Module module(*device, compile(nest, change, false));
    CudaLoop loop{.loop = module.function(cuda_symbol(cuda_loop_role, nest).c_str())};
    if (sums) loop.fold = module.function(cuda_symbol(cuda_fold_role, nest).c_str());
    test::LoopData data{.begin = 0, .end = edges, .counted = edges};
    data.dats[0] = test::bytes_of(std::vector<double>(edges, 1));
    data.dats[1] = test::bytes_of(std::vector<double>(3 * nodes, 0));
    data.maps[0].arity = 2;
    for (int end = 0; end < 2 * edges; ++end) data.maps[0].entries.push_back(end * 7 % nodes);
    if (sums) data.globals[3] = test::bytes_of(std::vector<double>(2, 0));
    try {
      test::run_on_device(*device, loop, nest, data);
    } catch (const Error&) {  // the findings say why
    }
    return of_emulator<const char*()>("op2_emu_findings")();
  }
  /// Of an exact sum of one value for each element.
  std::string findings_of_exact_sum(const Change& change) {
    const LoopNest nest = nest_of(
        {.name = "work", .source = "void work(const double* x, double* sum) { *sum += *x; }"},
        {dat(0, 1, OP_READ), test::global(1, OP_INC)});
    const gpu::Module module(*device, compile(nest, change, true));
    const CudaLoop loop{.loop = module.function(cuda_symbol(cuda_loop_role, nest).c_str()),
                        .fold = module.function(cuda_symbol(cuda_fold_role, nest).c_str())};
    test::LoopData data{.begin = 0, .end = edges, .counted = edges};
    data.dats[0] = test::bytes_of(std::vector<double>(edges, 1));
    data.globals[1] = test::bytes_of(std::vector<std::int64_t>(words_of_sum(nest.args[1].type), 0));
    try {
      test::run_on_device(*device, loop, nest, data);
    } catch (const Error&) {  // the findings say why
    }
    return of_emulator<const char*()>("op2_emu_findings")();
  }
  std::unique_ptr<gpu::Device> device;
};

TEST_F(ChangedCode, NothingIsFoundInWhatIsNotChanged) {
  EXPECT_EQ(findings(false, {}), "");
  EXPECT_EQ(findings(true, {}), "");
}

TEST_F(ChangedCode, AnAdditionThatIsNotAtomicIsFound) {
  EXPECT_THAT(findings(false, {"{ atomicAdd(to, value); }", "{ *to += value; }"}),
              HasSubstr("race: "));
}

TEST_F(ChangedCode, ReuseOfAWarpsMemoryWithoutABarrierIsFound) {
  EXPECT_THAT(findings(false, {"__syncwarp();", ""}), HasSubstr("race: "));
}

TEST_F(ChangedCode, ReadingAWarpsMemoryWithoutABarrierIsFound) {
  EXPECT_THAT(findings(false, {"__syncwarp();", "", 2}),
              AnyOf(HasSubstr("race: "), HasSubstr("without a value")));
}

TEST_F(ChangedCode, ReuseOfABlocksMemoryWithoutABarrierIsFound) {
  EXPECT_THAT(findings(true, {"__syncthreads();", ""}), HasSubstr("race: "));
}

TEST_F(ChangedCode, ReadingABlocksMemoryWithoutABarrierIsFound) {
  EXPECT_THAT(findings(true, {"__syncthreads();", "", 2}),
              AnyOf(HasSubstr("race: "), HasSubstr("without a value")));
}

TEST_F(ChangedCode, AThreadBeyondTheLastElementIsFound) {
  EXPECT_THAT(findings(false, {"< op2_end", "< op2_end + 1"}),
              HasSubstr("outside of any allocation"));
}

TEST_F(ChangedCode, ALaneWithoutARowIsFound) {
  EXPECT_THAT(findings(false, {"if (target >= 0)", ""}), HasSubstr("outside of any allocation"));
}

TEST_F(ChangedCode, ABarrierInABranchIsFound) {
  EXPECT_THAT(
      findings(true, {"  __syncthreads();", "  if (threadIdx.x % 32 == 0) __syncthreads();"}),
      HasSubstr("barrier"));
}

TEST_F(ChangedCode, AnExactSumWithoutABarrierOrAtomicAdditionIsFound) {
  const Change barrier_behind_zeros{"op2_words1);\n  __syncthreads();", "op2_words1);"};
  const Change barrier_before_carries{"  __syncthreads();\n  op2_device::store_words",
                                      "  op2_device::store_words"};
  const Change barrier_behind_carries{"carry(sums[k]);\n  __syncthreads();", "carry(sums[k]);"};
  const Change addition{"atomicAdd(reinterpret_cast<unsigned long long*>(sum + limb + k),\n",
                        "sum[limb + k] += static_cast<long long>(\n"};
  EXPECT_EQ(findings_of_exact_sum({}), "");
  for (const Change& change :
       {barrier_behind_zeros, barrier_before_carries, barrier_behind_carries, addition}) {
    restart();
    EXPECT_THAT(findings_of_exact_sum(change),
                AnyOf(HasSubstr("race: "), HasSubstr("without a value")))
        << change.words;
  }
}

TEST_F(ChangedCode, APartialSumThatIsNotStoredIsFound) {
  EXPECT_THAT(
      findings(true, {"if (threadIdx.x == 0) partials[", "if (threadIdx.x == 900) partials["}),
      HasSubstr("without a value"));
}

}  // namespace
}  // namespace op2::jit
