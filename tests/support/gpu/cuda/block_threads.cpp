// SPDX-License-Identifier: BSD-3-Clause
#include "block_threads.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace op2::test::gpu::cuda {

BlockThreads::BlockThreads(unsigned threads, KernelThread thread, void (*fiber_body)(),
                           FiberPool& fibers, Moment& moment, std::mt19937& dice)
    : threads_(threads),
      thread_(std::move(thread)),
      fiber_body_(fiber_body),
      fibers_(fibers),
      moment_(moment),
      dice_(dice),
      order_(threads) {
  std::iota(order_.begin(), order_.end(), 0U);
  for (const auto& fiber : fibers_) fiber->restart();
}

void BlockThreads::start_block() {
  begun_ = ended_ = 0;
  std::shuffle(order_.begin(), order_.end(), dice_);
  states_.assign(threads_, {});
  warps_.assign((threads_ + warp_size - 1) / warp_size, {});
  for (unsigned t = 0; t < threads_; ++t) warps_[t / warp_size].alive |= 1U << t % warp_size;
  moment_.block = moment_.barrier = ++moment_.now;
}

std::string BlockThreads::run() {
  start_block();
  while (ended_ < threads_) {
    running_ = next_fiber();
    if (running_ == nullptr)
      return "a barrier that not all threads reach: the others wait at another one";
    running_->resume();
    if (abandoned_) break;
  }
  return {};
}

void BlockThreads::run_threads() {
  for (;;) {
    while (begun_ < threads_) {
      become(order_[begun_++]);
      thread_.run();
      end_thread();
    }
    idle_.push_back(running_);
    running_->suspend();
  }
}

Fiber& BlockThreads::idle_fiber() {
  if (!idle_.empty()) {
    Fiber& fiber = *idle_.back();
    idle_.pop_back();
    return fiber;
  }
  if (used_fibers_ == fibers_.size()) fibers_.push_back(std::make_unique<Fiber>(fiber_body_));
  return *fibers_[used_fibers_++];
}

Fiber* BlockThreads::next_fiber() {
  if (begun_ < threads_ && (ready_.empty() || dice_() % 2 == 0)) return &idle_fiber();
  if (ready_.empty()) return nullptr;
  std::swap(ready_[dice_() % ready_.size()], ready_.back());
  const unsigned thread = ready_.back();
  ready_.pop_back();
  running_ = std::exchange(states_[thread].fiber, nullptr);  // whose stack the thread may access
  become(thread);
  return running_;
}

void BlockThreads::become(unsigned thread) {
  moment_.thread = thread;
  moment_.warp_barrier = states_[thread].warp_barrier;
  thread_.begin(thread);
}

void BlockThreads::end_thread() {
  ++ended_;
  const unsigned number = moment_.thread / warp_size;
  Warp& warp = warps_[number];
  warp.alive &= ~(1U << lane());
  if (warp.arrived != 0 && warp.arrived == (warp.mask & warp.alive)) release_warp(number, true);
}

void BlockThreads::park() {
  states_[moment_.thread].fiber = running_;
  running_->suspend();
}

void BlockThreads::abandon() {
  abandoned_ = true;
  running_->suspend();
  std::abort();  // never resumed
}

std::string BlockThreads::wait_for_block(int line) {
  if (ended_ > 0) return "a barrier that not all threads of the block reach: some have ended";
  if (!at_barrier_.empty() && line != barrier_line_)
    return fmt::format("threads of a block wait at different barriers: lines {} and {}",
                       barrier_line_, line);
  barrier_line_ = line;
  at_barrier_.push_back(moment_.thread);
  if (at_barrier_.size() == threads_) release_block();
  park();
  return {};
}

void BlockThreads::release_block() {
  ready_.insert(ready_.end(), at_barrier_.begin(), at_barrier_.end());
  at_barrier_.clear();
  moment_.barrier = ++moment_.now;
}

std::string BlockThreads::wait_for_warp(std::uint32_t mask, int line, bool orders_memory) {
  const unsigned number = moment_.thread / warp_size;
  Warp& warp = warps_[number];
  if ((mask >> lane() & 1U) == 0) return "a thread waits for a warp without being in the mask";
  if (warp.arrived != 0 && (line != warp.line || mask != warp.mask))
    return fmt::format(
        "threads of a warp wait at different places: lines {} and {}, masks {:#x} and {:#x}",
        warp.line, line, warp.mask, mask);
  warp.line = line;
  warp.mask = mask;
  warp.arrived |= 1U << lane();
  if (warp.arrived == (mask & warp.alive)) release_warp(number, orders_memory);
  park();
  return {};
}

void BlockThreads::release_warp(unsigned number, bool orders_memory) {
  Warp& warp = warps_[number];
  if (orders_memory) ++moment_.now;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    if ((warp.arrived >> lane & 1U) == 0) continue;
    const unsigned thread = number * warp_size + lane;
    ready_.push_back(thread);
    if (orders_memory) states_[thread].warp_barrier = moment_.now;
  }
  warp.arrived = 0;
  ++warp.meetings;
}

}  // namespace op2::test::gpu::cuda
