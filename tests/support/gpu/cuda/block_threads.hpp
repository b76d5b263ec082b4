// SPDX-License-Identifier: BSD-3-Clause
// In what order do the threads of a block run, and who waits for whom?
//
// One fiber runs thread after thread, in random order; a thread that waits at a barrier keeps its
// fiber, and another one goes on with the next thread. So blocks without barriers cost function
// calls.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "../access_history.hpp"
#include "fiber.hpp"

namespace op2::test::gpu::cuda {

/// Fibers for all blocks of a device, which do nothing between kernels.
using FiberPool = std::vector<std::unique_ptr<Fiber>>;

/// What runs, of a kernel.
struct KernelThread {
  std::function<void(unsigned thread)> begin;  ///< also when it goes on after it has waited
  std::function<void()> run;
};

class BlockThreads {
 public:
  /// @param fiber_body  calls `run_threads` of this object
  BlockThreads(unsigned threads, KernelThread thread, void (*fiber_body)(), FiberPool& fibers,
               Moment& moment, std::mt19937& dice);

  /// Runs all threads of a block; returns early if one was abandoned.
  /// @return  what is wrong with its barriers; empty: nothing
  std::string run();
  void run_threads();

  // Called by a running thread. @return  what is wrong; empty: nothing
  /// @param line  of the source, so that different barriers do not meet
  std::string wait_for_block(int line);
  /// @param orders_memory  whether accesses before it come before accesses after it
  std::string wait_for_warp(std::uint32_t mask, int line, bool orders_memory);
  /// Ends the kernel. Never returns.
  [[noreturn]] void abandon();

  bool is_abandoned() const { return abandoned_; }
  const Fiber& fiber() const { return *running_; }
  unsigned lane() const { return moment_.thread % warp_size; }
  /// How often the warp of the running thread has met.
  std::uint64_t meetings() const { return warps_[moment_.thread / warp_size].meetings; }
  /// Its threads that have not ended.
  std::uint32_t alive_lanes() const { return warps_[moment_.thread / warp_size].alive; }

 private:
  struct Thread {
    Fiber* fiber = nullptr;          ///< that it has while it waits
    std::uint64_t warp_barrier = 0;  ///< when it has left the last one
  };
  struct Warp {
    std::uint32_t alive = 0, arrived = 0, mask = 0;
    int line = 0;
    std::uint64_t meetings = 0;
  };
  void start_block();
  Fiber& idle_fiber();
  Fiber* next_fiber();
  void become(unsigned thread);
  void end_thread();
  void park();
  void release_block();
  void release_warp(unsigned number, bool orders_memory);

  unsigned threads_;
  KernelThread thread_;
  void (*fiber_body_)();
  FiberPool& fibers_;
  Moment& moment_;
  std::mt19937& dice_;

  std::vector<unsigned> order_;  ///< of the threads
  unsigned begun_ = 0, ended_ = 0;
  std::vector<Thread> states_;
  std::vector<Warp> warps_;
  std::vector<unsigned> at_barrier_;  ///< of the block
  int barrier_line_ = 0;
  std::vector<unsigned> ready_;  ///< have waited
  std::vector<Fiber*> idle_;
  std::size_t used_fibers_ = 0;
  Fiber* running_ = nullptr;
  bool abandoned_ = false;
};

}  // namespace op2::test::gpu::cuda
