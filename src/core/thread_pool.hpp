// SPDX-License-Identifier: BSD-3-Clause
// Worker threads for fork-join regions that last microseconds.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include <pthread.h>

#include <core/topology.hpp>

namespace op2::core {

/// `threads` - 1 workers, pinned to processors 1, 2, ... of the topology, plus the thread that
/// calls `run`, whose binding is not changed. Between regions workers spin for some microseconds
/// and then sleep. With more threads than processors, or than a limit of their time, threads
/// neither are pinned nor spin. With a limit none is pinned: it says how many run at once, not
/// where, and others with such limits would be pinned to the same processors.
/// Used by one thread at a time; not from inside a task.
class ThreadPool {
 public:
  /// One thread's share of a region. Must not throw.
  using Task = void (*)(void* context, int thread) noexcept;

  /// @throws Error out_of_memory (the system refuses a thread)
  ThreadPool(int threads, const Topology& topology);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return threads_; }
  bool is_pinned() const { return is_pinned_; }

  /// Runs task(context, thread) for every thread 0 .. size() - 1, thread 0 being the caller's, and
  /// returns when all are done. What the tasks wrote is visible to the caller.
  void run(Task task, void* context);

  /// Inside a task: a barrier of all threads of the region. What was written before is visible to
  /// all afterwards.
  void barrier();

 private:
  using Word = std::atomic<std::uint32_t>;
  struct Worker {
    ThreadPool* pool;
    int thread;     ///< number in the region
    int processor;  ///< to pin to; -1: none
    pthread_t handle;
  };

  static void* work(void* worker);
  static int start(Worker& worker);
  void join_all();
  void wait_while(const Word& word, std::uint32_t value) const;

  const int threads_;
  const bool spins_;             ///< all threads run at once
  const bool is_pinned_;         ///< each has a processor of its own
  std::vector<Worker> workers_;  ///< never grows: workers hold their addresses

  Task task_ = nullptr;  ///< null: workers end
  void* context_ = nullptr;
  alignas(64) Word region_{0};   ///< number of the region
  alignas(64) Word working_{0};  ///< workers that have not finished the region
  alignas(64) Word arrived_{0};  ///< threads at the barrier
  alignas(64) Word passed_{0};   ///< barriers completed
};

}  // namespace op2::core
