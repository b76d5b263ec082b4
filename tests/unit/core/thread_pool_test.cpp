// SPDX-License-Identifier: BSD-3-Clause
#include <core/thread_pool.hpp>

#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <sched.h>

namespace op2::core {
namespace {

using testing::Each;

const Topology two_processors{{{0}, {1}}};

/// Runs a callable taking the thread's number.
template <class Body>
void run(ThreadPool& pool, Body&& body) {
  pool.run([](void* context, int thread) noexcept { (*static_cast<Body*>(context))(thread); },
           &body);
}

TEST(ThreadPool, EveryThreadRunsOnceInEachOfManyRegions) {
  constexpr int regions = 10000;
  ThreadPool pool(2, topology_of_process());
  std::vector<int> calls(2, 0);
  for (int k = 0; k < regions; ++k) run(pool, [&](int thread) { ++calls[thread]; });
  EXPECT_THAT(calls, Each(regions));
}

TEST(ThreadPool, MoreThreadsThanProcessorsFinishToo) {
  constexpr int regions = 500;
  ThreadPool pool(9, two_processors);
  std::vector<int> calls(9, 0);
  for (int k = 0; k < regions; ++k) run(pool, [&](int thread) { ++calls[thread]; });
  EXPECT_THAT(calls, Each(regions));
}

TEST(ThreadPool, BarriersSeparatePhases) {
  constexpr int threads = 5, phases = 200;
  ThreadPool pool(threads, two_processors);
  std::vector<int> value(threads, 0);
  std::vector<int> early(threads, 0);
  run(pool, [&](int thread) {
    for (int phase = 1; phase <= phases; ++phase) {
      value[thread] = phase;
      pool.barrier();
      if (value[(thread + 1) % threads] != phase) ++early[thread];
      pool.barrier();
    }
  });
  EXPECT_THAT(early, Each(0));
}

TEST(ThreadPool, TheCallerIsThreadZero) {
  ThreadPool pool(2, topology_of_process());
  std::vector<pthread_t> self(2);
  run(pool, [&](int thread) { self[thread] = pthread_self(); });
  EXPECT_TRUE(pthread_equal(self[0], pthread_self()));
  EXPECT_FALSE(pthread_equal(self[1], pthread_self()));
}

cpu_set_t affinity_of_this_thread() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  return set;
}

TEST(ThreadPool, WorkersArePinnedAndTheCallerIsNot) {
  const Topology topology = topology_of_process();
  if (topology.processors().size() < 2) GTEST_SKIP() << "needs two processors";
  ThreadPool pool(2, topology);
  EXPECT_TRUE(pool.is_pinned());
  const cpu_set_t before = affinity_of_this_thread();
  std::vector<cpu_set_t> affinity(2);
  run(pool, [&](int thread) { affinity[thread] = affinity_of_this_thread(); });
  EXPECT_TRUE(CPU_EQUAL(&affinity[0], &before));
  EXPECT_EQ(CPU_COUNT(&affinity[1]), 1);
  EXPECT_TRUE(CPU_ISSET(topology.processors()[1], &affinity[1]));
}

void expect_not_pinned(const Topology& topology) {
  ThreadPool pool(2, topology);
  EXPECT_FALSE(pool.is_pinned());
  const cpu_set_t before = affinity_of_this_thread();
  std::vector<cpu_set_t> affinity(2);
  run(pool, [&](int thread) { affinity[thread] = affinity_of_this_thread(); });
  EXPECT_TRUE(CPU_EQUAL(&affinity[1], &before));
}

TEST(ThreadPool, NobodyIsPinnedWithMoreThreadsThanProcessors) {
  expect_not_pinned({{{0}}});
}

TEST(ThreadPool, NobodyIsPinnedWhereTimeIsLimited) {
  Topology topology{{{0}, {1}, {2}, {3}}};
  for (topology.limit = 1; topology.limit < 4; ++topology.limit) expect_not_pinned(topology);
}

std::ptrdiff_t threads_of_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

TEST(ThreadPool, OneThreadStartsNoWorker) {
  const auto before = threads_of_process();
  ThreadPool pool(1, two_processors);
  int calls = 0;
  run(pool, [&](int) {
    ++calls;
    pool.barrier();
  });
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(threads_of_process(), before);
}

TEST(ThreadPool, TheDestructorEndsTheWorkers) {
  ThreadPool(2, two_processors);  // with the first thread, sanitizers start another one
  const auto before = threads_of_process();
  {
    ThreadPool pool(4, two_processors);
  }
  EXPECT_EQ(threads_of_process(), before);
}

TEST(ThreadPool, WorkersHaveRoomForLargeFrames) {
  ThreadPool pool(2, two_processors);
  std::size_t bytes = 0;
  run(pool, [&](int thread) {
    if (thread == 0) return;
    pthread_attr_t attributes;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstacksize(&attributes, &bytes);
    pthread_attr_destroy(&attributes);
  });
  EXPECT_GE(bytes, std::size_t{8} << 20);
}

TEST(Topology, ListsTheProcessorsOfTheBindingOnce) {
  const Topology topology = topology_of_process();
  const cpu_set_t allowed = affinity_of_this_thread();
  auto sorted = topology.processors();
  for (const int processor : sorted) EXPECT_TRUE(CPU_ISSET(processor, &allowed));
  EXPECT_EQ(sorted.size(), static_cast<std::size_t>(CPU_COUNT(&allowed)));
  EXPECT_GE(topology.cores.size(), 1U);
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(std::adjacent_find(sorted.begin(), sorted.end()), sorted.end());
}

}  // namespace
}  // namespace op2::core
