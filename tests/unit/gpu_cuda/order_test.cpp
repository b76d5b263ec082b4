// SPDX-License-Identifier: BSD-3-Clause
// When work is done, and what the host and streams must wait for.
#include "cuda_program.hpp"

namespace op2::test::gpu::cuda {
namespace {

class Orders : public CudaProgram, public ::testing::WithParamInterface<const char*> {
 protected:
  Orders() : CudaProgram(GetParam()) { api->stream_create(&other, 1); }
  StreamHandle other = nullptr;
};
INSTANTIATE_TEST_SUITE_P(All, Orders,
                         ::testing::Values("lazy", "eager", "others", "reversed", "random:3"));

class LazyOrder : public CudaProgram {
 protected:
  LazyOrder() { api->stream_create(&other, 1); }
  StreamHandle other = nullptr;
};

TEST_P(Orders, AnEventOrdersStreams) {
  const auto q = allocate(8);
  launch(kernel("double* q", "*q = 4;"), 1, 1, q);
  EventHandle done = nullptr;
  EXPECT_EQ(api->event_create(&done, 2), 0);
  EXPECT_EQ(api->event_record(done, stream), 0);
  EXPECT_EQ(api->stream_wait_for(other, done, 0), 0);
  auto* back = pinned<double>(1);
  EXPECT_EQ(api->download(back, q, 8, other), 0);
  EXPECT_EQ(api->stream_wait(other), 0);
  EXPECT_EQ(*back, 4);
}

TEST_P(Orders, ACopyThatNothingOrdersBehindTheKernelIsFound) {
  const auto q = upload<double>({1});
  const auto set = kernel("double* q", "*q = 4;");
  launch(set, 1, 1, q);
  api->download(pinned<double>(1), q, 8, other);
  api->stream_wait(stream);
  EXPECT_EQ(api->stream_wait(other), 700);
  EXPECT_THAT(findings(), HasSubstr("race: "));
}

TEST_P(Orders, KernelsOfTwoStreamsAreFoundIfNothingOrdersThem) {
  const auto q = upload<double>({1});
  const auto set = kernel("double* q", "*q = 4;");
  launch(set, 1, 1, q);
  std::swap(stream, other);
  launch(set, 1, 1, q);
  api->stream_wait(other);
  EXPECT_EQ(api->stream_wait(stream), 700);
  EXPECT_THAT(findings(), HasSubstr("race: write of 8 bytes; write of other work, 'kernel',"));
}

TEST_P(Orders, KernelsOfTwoStreamsMayReadTheSame) {
  const auto q = upload<double>({1}), to = allocate(16);
  const auto copy = kernel("const double* q, double* to", "*to = *q;");
  launch(copy, 1, 1, q, to);
  std::swap(stream, other);
  launch(copy, 1, 1, q, to + 8);
  EXPECT_EQ(api->stream_wait(other), 0);
  EXPECT_EQ(api->stream_wait(stream), 0);
}

TEST_P(Orders, WhatTheHostHasWaitedForIsOrdered) {
  const auto q = upload<double>({1});
  const auto set = kernel("double* q", "*q = 4;");
  launch(set, 1, 1, q);
  EXPECT_EQ(api->stream_wait(stream), 0);
  std::swap(stream, other);
  launch(set, 1, 1, q);
  EXPECT_EQ(api->stream_wait(stream), 0);
}

TEST_P(Orders, MemoryIsNotFreedBeforeTheHostHasWaitedForTheKernel) {
  const auto q = upload<double>({1}), used = upload<double>({1});
  const auto set = kernel("double* q", "*q = 4;");
  launch(set, 1, 1, q);
  EXPECT_EQ(api->stream_wait(stream), 0);
  EXPECT_EQ(api->memory_free(q), 0);
  launch(set, 1, 1, used);
  EXPECT_EQ(api->memory_free(used), 700);
  EXPECT_THAT(findings(), HasSubstr("race: nothing orders 'kernel' and 'free'"));
}

TEST_P(Orders, MemoryIsNotFreedBeforeTheHostHasWaitedForTheCopy) {
  const auto q = upload<double>({1}), to = allocate(8);
  EXPECT_EQ(api->copy(to, q, 8, stream), 0);
  EXPECT_EQ(api->memory_free(q), 700);
  EXPECT_THAT(findings(), HasSubstr("race: nothing orders 'copy' and 'free'"));
}

TEST_P(Orders, AFreeOrdersNoOtherOne) {
  const auto q = upload<double>({1}), unused = upload<double>({1});
  launch(kernel("double* q", "*q = 4;"), 1, 1, q);
  EXPECT_EQ(api->memory_free(unused), 0);
  EXPECT_EQ(api->memory_free(q), 700);
  EXPECT_THAT(findings(), HasSubstr("race: nothing orders 'kernel' and 'free'"));
}

TEST_P(Orders, AConstantThatChangesBesideTheKernelThatReadsItIsFound) {
  const ModuleHandle module =
      load("__constant__ double factor;" + kernel_head + "(double* q) { *q = factor; }");
  DevicePointer constant = 0;
  std::size_t bytes = 0;
  EXPECT_EQ(api->module_symbol(&constant, &bytes, module, "factor"), 0);
  auto* value = pinned<double>(1);
  *value = 3;
  EXPECT_EQ(api->upload(constant, value, 8, stream), 0);
  EXPECT_EQ(api->stream_wait(stream), 0);
  const auto q = allocate(8);
  launch(function(module), 1, 1, q);
  api->upload(constant, value, 8, other);  // the same value: only the order is wrong
  api->stream_wait(stream);
  EXPECT_EQ(api->stream_wait(other), 700);
  EXPECT_THAT(findings(), HasSubstr("race: "));
}

TEST_F(LazyOrder, ACopyThatNothingOrdersBehindTheKernelReadsNoValue) {
  const auto q = allocate(8);
  launch(kernel("double* q", "*q = 4;"), 1, 1, q);
  api->download(pinned<double>(1), q, 8, other);
  EXPECT_EQ(api->stream_wait(other), 700);
  EXPECT_THAT(findings(), HasSubstr("'download' reads memory without a value"));
}

TEST_F(LazyOrder, ACopyThatTheHostWaitsForIsNotOrderedBehindTheKernel) {
  const auto q = allocate(8);
  launch(kernel("double* q", "*q = 4;"), 1, 1, q);
  double back = 0;
  EXPECT_EQ(of_emulator<int (*)(void*, DevicePointer, std::size_t)>("cuMemcpyDtoH_v2")(&back, q, 8),
            700);
}

TEST_F(LazyOrder, WithoutAWaitTheHostReadsNothingUseful) {
  const auto q = upload<double>({4});
  auto* back = pinned<double>(1);
  *back = 4;
  EXPECT_EQ(api->download(back, q, 8, stream), 0);
  EXPECT_NE(*back, 4);
}

TEST_F(LazyOrder, PinnedMemoryIsReadWhenTheCopyRuns) {
  auto* value = pinned<double>(1);
  *value = 4;
  const auto q = allocate(8);
  EXPECT_EQ(api->upload(q, value, 8, stream), 0);
  *value = 5;
  EXPECT_THAT(download<double>(q, 1), ::testing::ElementsAre(5));
}

TEST_P(Orders, AStreamMayReadPinnedMemoryAndWriteItLater) {
  auto* value = pinned<double>(1);
  *value = 4;
  const auto q = allocate(8);
  const auto twice = kernel("double* q", "*q *= 2;");
  api->upload(q, value, 8, stream);
  launch(twice, 1, 1, q);
  api->download(value, q, 8, stream);
  EXPECT_EQ(api->stream_wait(stream), 0);
  EXPECT_EQ(*value, 8);
}

TEST_P(Orders, AnAsynchronousCopyNeedsPinnedMemory) {
  const auto q = allocate(8);
  const double value = 1;
  EXPECT_EQ(api->upload(q, &value, 8, stream), 700);
  EXPECT_THAT(findings(), HasSubstr("memory of the host is not pinned"));
}

TEST_P(Orders, MemoryThatIsRegisteredIsPinned) {
  std::vector<double> value{3};
  of_emulator<int (*)(void*, std::size_t, unsigned)>("cuMemHostRegister_v2")(value.data(), 8, 0);
  const auto q = allocate(8);
  EXPECT_EQ(api->upload(q, value.data(), 8, stream), 0);
  EXPECT_THAT(download<double>(q, 1), ::testing::ElementsAre(3));
}

/// Sets q, then doubles it; with an edge between.
class Graphs : public CudaProgram {
 protected:
  int launch_graph(DevicePointer q, bool with_edge) {
    op2::gpu::GraphHandle graph = nullptr;
    api->graph_create(&graph, 0);
    std::array<void*, 1> parameters{&q};
    op2::gpu::KernelNode node{.function = kernel("double* q", "*q = 2;"),
                              .parameters = parameters.data()};
    api->graph_add_kernel(&first, graph, nullptr, 0, &node);
    node.function = kernel("double* q", "*q = 2 * *q;");
    api->graph_add_kernel(&second, graph, &first, with_edge ? 1 : 0, &node);
    EXPECT_EQ(api->graph_instantiate(&executable, graph, 0), 0);
    EXPECT_EQ(api->graph_launch(executable, stream), 0);
    return api->stream_wait(stream);
  }
  op2::gpu::NodeHandle first = nullptr, second = nullptr;
  op2::gpu::ExecutableHandle executable = nullptr;
};

TEST_F(Graphs, KernelsRunInTheOrderOfTheEdges) {
  const auto q = allocate(8);
  EXPECT_EQ(launch_graph(q, true), 0);
  EXPECT_THAT(download<double>(q, 1), ::testing::ElementsAre(4));
}

TEST_F(Graphs, AnEdgeThatIsMissingIsFound) {
  EXPECT_EQ(launch_graph(upload<double>({1}), false), 700);
  EXPECT_THAT(findings(), HasSubstr("race: "));
}

}  // namespace
}  // namespace op2::test::gpu::cuda
