// SPDX-License-Identifier: BSD-3-Clause
#include <core/thread_pool.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>

#include <sched.h>

#include <core/error.hpp>
#include <core/signals.hpp>

namespace op2::core {
namespace {

/// Longer than the gap between two loops of a chain, too short to waste noticeable time.
constexpr std::chrono::microseconds spin_time{20};

/// Kernels may have large stack frames, and the system's default may be small.
constexpr std::size_t stack_bytes = 8 << 20;

/// Tells the processor that the thread spins.
void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

/// Failure is ignored: the thread then runs where the system puts it.
void pin_this_thread(int processor) {
  cpu_set_t* const set = CPU_ALLOC(processor + 1);  // there may be more than CPU_SETSIZE
  if (set == nullptr) return;
  const std::size_t bytes = CPU_ALLOC_SIZE(processor + 1);
  CPU_ZERO_S(bytes, set);
  CPU_SET_S(processor, bytes, set);
  pthread_setaffinity_np(pthread_self(), bytes, set);
  CPU_FREE(set);
}

}  // namespace

ThreadPool::ThreadPool(int threads, const Topology& topology)
    : threads_(threads),
      spins_(threads <= topology.most_threads()),
      is_pinned_(spins_ && topology.limit == 0) {
  const std::vector<int> processors = topology.processors();
  workers_.reserve(threads - 1);
  for (int thread = 1; thread < threads; ++thread) {
    const int processor = is_pinned_ ? processors[thread] : -1;
    const int refusal = start(workers_.emplace_back(Worker{this, thread, processor, {}}));
    if (refusal == 0) continue;
    workers_.pop_back();
    join_all();
    fail(ErrorCode::out_of_memory,
         "a thread cannot be started: thread {} of {}, {}; set OP2_THREADS lower", thread + 1,
         threads, std::strerror(refusal));
  }
}

ThreadPool::~ThreadPool() {
  join_all();
}

int ThreadPool::start(Worker& worker) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  std::size_t usual = 0;
  pthread_attr_getstacksize(&attributes, &usual);
  pthread_attr_setstacksize(&attributes, std::max(usual, stack_bytes));
  const SignalsBlocked blocked;
  const int refusal = pthread_create(&worker.handle, &attributes, &ThreadPool::work, &worker);
  pthread_attr_destroy(&attributes);
  return refusal;
}

void ThreadPool::join_all() {
  task_ = nullptr;
  region_.fetch_add(1);
  region_.notify_all();
  for (const Worker& worker : workers_) pthread_join(worker.handle, nullptr);
}

void* ThreadPool::work(void* argument) {
  const Worker& worker = *static_cast<Worker*>(argument);
  ThreadPool& pool = *worker.pool;
  if (worker.processor >= 0) pin_this_thread(worker.processor);
  for (std::uint32_t region = 0;; ++region) {
    pool.wait_while(pool.region_, region);
    if (!pool.task_) return nullptr;
    pool.task_(pool.context_, worker.thread);
    if (pool.working_.fetch_sub(1) == 1) pool.working_.notify_one();
  }
}

void ThreadPool::run(Task task, void* context) {
  if (threads_ == 1) return task(context, 0);
  task_ = task;
  context_ = context;
  working_.store(threads_ - 1, std::memory_order_relaxed);
  region_.fetch_add(1);
  region_.notify_all();
  task(context, 0);
  for (std::uint32_t left = working_; left != 0; left = working_) wait_while(working_, left);
}

void ThreadPool::barrier() {
  const std::uint32_t passed = passed_.load();
  if (arrived_.fetch_add(1) + 1 < static_cast<std::uint32_t>(threads_))
    return wait_while(passed_, passed);
  arrived_.store(0, std::memory_order_relaxed);
  passed_.fetch_add(1);
  passed_.notify_all();
}

/// Returns when the word differs from `value`: spins first, then sleeps.
void ThreadPool::wait_while(const Word& word, std::uint32_t value) const {
  if (!spins_) return word.wait(value);
  constexpr int checks_per_look_at_the_clock = 64;
  const auto start = std::chrono::steady_clock::now();
  do {
    for (int check = 0; check < checks_per_look_at_the_clock; ++check) {
      if (word.load(std::memory_order_acquire) != value) return;
      relax();
    }
  } while (std::chrono::steady_clock::now() - start < spin_time);
  word.wait(value);
}

}  // namespace op2::core
