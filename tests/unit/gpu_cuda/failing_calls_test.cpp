// SPDX-License-Identifier: BSD-3-Clause
// Each call of a small program fails in turn.
#include <array>

#include "cuda_program.hpp"

namespace op2::test::gpu::cuda {
namespace {

class FailingCalls : public CudaProgram, public ::testing::WithParamInterface<int> {
 protected:
  FailingCalls() : cubin_(compile(kernel_head + "(double* q) { *q += 1; }").cubin) {}

  /// Adds 1 by a launch and 1 by a graph. @return  what the first call that fails returns; 0: none
  int run_program(double& sum) {
    const auto& cuda = *api;
    int result = 0;
    const auto call = [&](auto function, auto... arguments) {
      if (result == 0) result = (cuda.*function)(arguments...);
    };
    using Api = op2::gpu::DriverApi;
    op2::gpu::ContextHandle context = nullptr;
    ModuleHandle module = nullptr;
    FunctionHandle function = nullptr;
    DevicePointer q = 0;
    void* staged = nullptr;
    std::array<void*, 1> parameters{&q};
    op2::gpu::GraphHandle graph = nullptr;
    op2::gpu::NodeHandle node = nullptr;
    op2::gpu::ExecutableHandle executable = nullptr;
    call(&Api::init, 0U);
    call(&Api::context_retain, &context, 0);
    call(&Api::context_set_current, context);
    call(&Api::stream_create, &stream, 1U);
    call(&Api::module_load, &module, cubin_.data(), 0U, nullptr, nullptr);
    call(&Api::module_function, &function, module, "kernel");
    call(&Api::memory_allocate, &q, std::size_t{8});
    call(&Api::pinned_allocate, &staged, std::size_t{8}, 0U);
    if (result == 0) *static_cast<double*>(staged) = 1;
    call(&Api::upload, q, staged, std::size_t{8}, stream);
    call(&Api::launch, function, 1U, 1U, 1U, 1U, 1U, 1U, 0U, stream, parameters.data(), nullptr);
    const op2::gpu::KernelNode added{.function = function, .parameters = parameters.data()};
    call(&Api::graph_create, &graph, 0U);
    call(&Api::graph_add_kernel, &node, graph, nullptr, std::size_t{0}, &added);
    call(&Api::graph_instantiate, &executable, graph, 0ULL);
    call(&Api::graph_launch, executable, stream);
    call(&Api::download, staged, q, std::size_t{8}, stream);
    call(&Api::stream_wait, stream);
    if (result == 0) sum = *static_cast<double*>(staged);
    return result;
  }

 private:
  std::vector<std::byte> cubin_;
};
INSTANTIATE_TEST_SUITE_P(Codes, FailingCalls, ::testing::Values(2, 700, 719, 999));

TEST_P(FailingCalls, TheProgramIsToldOrIsRight) {
  constexpr int calls = 16;
  for (int k = 1; k <= calls + 1; ++k) {
    const std::string plan = std::to_string(k) + ":" + std::to_string(GetParam());
    ::setenv("OP2_EMU_FAIL", plan.c_str(), 1);
    of_emulator<void (*)()>("op2_emu_reset")();
    double sum = 0;
    EXPECT_EQ(run_program(sum), k <= calls ? GetParam() : 0) << "call " << k;
    EXPECT_EQ(sum, k <= calls ? 0 : 3);
    EXPECT_EQ(findings(), "");
  }
  ::unsetenv("OP2_EMU_FAIL");
}

}  // namespace
}  // namespace op2::test::gpu::cuda
