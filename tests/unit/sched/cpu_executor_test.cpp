// SPDX-License-Identifier: BSD-3-Clause
// How plans are prepared for the reproducible mode.
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <comm/messages/agreement.hpp>
#include <core/measurements/trace.hpp>
#include <core/mesh.hpp>
#include <jit/target/cpu/cpu_target.hpp>
#include <sched/analysis/fuse.hpp>
#include <sched/executor/cpu/executor.hpp>
#include <support/fake_communicator.hpp>
#include <support/small_mesh.hpp>

namespace {

/// Larger blocks cannot be allocated by this thread.
thread_local std::size_t largest_block = std::numeric_limits<std::size_t>::max();

}  // namespace

// Not inlined: the compiler would see free() meet the usual operator new.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* const memory = bytes > largest_block ? nullptr : std::malloc(bytes > 0 ? bytes : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace op2::sched {
namespace {

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

/// Edges from node to node, the last one first, which add to both: in the canonical order the first
/// node's edge is the first. As a plan of one chain of loops.
struct AddingPlan {
  core::Mesh mesh;
  core::Queue queue;
  core::LoopTable table;
  jit::CompiledLoop code;
  Plan plan;

  AddingPlan(int nodes, int edges, std::size_t loops) {
    std::vector<int> entries;
    for (int edge = edges; edge-- > 0;) entries.insert(entries.end(), {edge, edge + 1});
    core::Set& from = mesh.add_set({0, edges, edges}, "edges");
    core::Set& to = mesh.add_set({0, nodes, nodes}, "nodes");
    core::Map& ends = mesh.add_map(&from, &to, 2, entries.data(), "ends");
    core::Dat& sum = mesh.add_dat(&to, 1, Type::f64, nullptr, "sum", false);
    mesh.choose_ordering_set();
    code.target = jit::cpu_target_name;
    for (std::size_t loop = 0; loop < loops; ++loop) {
      test::queue_loop(queue, from, op_arg_dat(&sum, 0, &ends, OP_INC),
                       op_arg_dat(&sum, 1, &ends, OP_INC));
      plan.steps.all.push_back(step_of(queue, loop));
      plan.steps.all.back().levels = {core::no_level, 0};
      plan.code.push_back({&code, {}});
      plan.rows.emplace_back().row = &table.row("loop");
    }
    plan.steps.begin = {0, loops};
    plan.analysis.chains.push_back({{0, loops}, {}, 0});
  }
};

/// An executor in the reproducible mode, on one thread with small caches.
struct Reproducing {
  core::Options options;
  core::Topology topology{{{0}}, {1 << 10, 1 << 11}};
  core::ThreadPool pool{1, topology};
  core::Listeners listeners;
  comm::DistributedMesh rows;
  CpuExecutor executor{options, topology, pool, rows, listeners};

  core::Trace& trace() { return dynamic_cast<core::Trace&>(*listeners.front()); }

  Reproducing(core::Mesh& mesh, comm::Communicator& ranks) : rows(mesh, ranks) {
    options.reproducible = true;
    listeners.push_back(std::make_unique<core::Trace>());
  }
};

/// What preparing a plan reports on this rank; empty: nothing. With few edges and many nodes, the
/// only large blocks are those of the search for slots.
std::string failure(comm::Communicator& ranks, std::size_t limit) {
  AddingPlan adding(1'000'000, 100, 1);
  Reproducing on(adding.mesh, ranks);
  largest_block = limit;
  const auto error = comm::error_of("", [&] { on.executor.prepare(adding.plan, false); });
  largest_block = no_limit;
  return error ? error->what() : "";
}

TEST(CpuExecutor, TooLittleMemoryForSlotsOnOneRankIsAnErrorOfAll) {
  comm::run_fake_ranks(3, [&](comm::Communicator& ranks) {
    EXPECT_EQ(failure(ranks, no_limit), "");
    const bool is_short = ranks.rank() == 1;
    const std::string told = failure(ranks, is_short ? 4'000'000 : no_limit);
    EXPECT_THAT(told, testing::HasSubstr("OP2-E505"));
    EXPECT_THAT(told, testing::HasSubstr("slots"));
    if (!is_short) {
      EXPECT_THAT(told, testing::HasSubstr("rank 1: "));
    }
  });
}

std::ptrdiff_t times_named(const std::string& text, const std::string& name) {
  std::ptrdiff_t count = 0;
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
    ++count;
  return count;
}

TEST(CpuExecutor, TilesThatNeedManySlotsAreNotMadeAgain) {
  AddingPlan first(8000, 7999, 6);
  const auto alone = comm::make_self_communicator();
  Reproducing on(first.mesh, *alone);
  const auto one = on.executor.prepare(first.plan, true);
  EXPECT_EQ(times_named(on.trace().events(0), "make tiles"), 1);
  EXPECT_THAT(one->describe(first.queue), testing::Not(testing::HasSubstr("in tiles")));
  const auto again = on.executor.prepare(first.plan, true);
  EXPECT_EQ(times_named(on.trace().events(0), "make tiles"), 1);
  on.executor.forget_rows();
  const auto moved = on.executor.prepare(first.plan, true);
  EXPECT_EQ(times_named(on.trace().events(0), "make tiles"), 2);
}

}  // namespace
}  // namespace op2::sched
