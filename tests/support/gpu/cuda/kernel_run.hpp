// SPDX-License-Identifier: BSD-3-Clause
// One kernel, run to its end or to the first thing that it does wrong.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "block_threads.hpp"
#include "kernel_image.hpp"
#include "kernel_memory.hpp"

namespace op2::test::gpu::cuda {

/// What kernels see as threadIdx and so on.
struct Index3 {
  unsigned x = 0, y = 1, z = 1;
};

/// What a launch asks for.
struct LaunchShape {
  unsigned blocks = 0, threads = 0;
};

/// What the kernels of a device share, one after the other.
struct RunState {
  AccessOrder& order;
  std::mt19937 dice;
  FiberPool fibers;
};

/// A kernel and the values of its parameters.
struct Launch {
  Entry entry;
  std::shared_ptr<const KernelImage> image;
  std::shared_ptr<const KnownVariables> variables;
  LaunchShape shape;
  std::vector<std::vector<std::byte>> parameters;
};

class KernelRun {
 public:
  KernelRun(const Launch& launch, Arena& arena, RunState& state);

  /// Blocks in random order; its work has begun in the state's order. @return  what the kernel does
  /// wrong; empty: nothing
  std::string run();

  /// In the calling thread of the host; null: none.
  static KernelRun* running() { return current_; }

  // What the kernel calls.
  void access(const void* data, std::size_t bytes, AccessKind kind, std::size_t alignment) {
    const auto* begin = static_cast<const std::byte*>(data);
    if (begin >= stack_begin_ && begin < stack_end_) return;
    Fault fault = memory_.check(begin, bytes, kind, moment_);
    if ((reinterpret_cast<std::uintptr_t>(data) & (alignment - 1)) != 0) fault = Fault::misaligned;
    if (fault != Fault::none) [[unlikely]]
      fail(memory_.explain(fault, begin, bytes, kind, state_.order));
  }
  void wait_for_block(int line);
  void wait_for_warp(std::uint32_t mask, int line);
  /// All lanes of the mask give a value and take that of another.
  /// @param value  at most 16 bytes
  void exchange(void* value, std::size_t bytes, unsigned from_lane, std::uint32_t mask, int line);
  void fail_assertion(const char* condition, unsigned line);
  /// Bit k is whether lane k has given a value other than 0.
  std::uint32_t ballot(bool vote, std::uint32_t mask, int line);

 private:
  using Slot = std::array<std::byte, 16>;
  static void run_fiber();
  void begin_thread(unsigned thread);
  /// Of the warp that runs; twice, as some lanes are one exchange ahead of others.
  Slot* slots();
  void fail(std::string finding);
  /// The finding with the line of the source.
  std::string described() const;

  static thread_local KernelRun* current_ __attribute__((tls_model("initial-exec")));

  const Launch& launch_;
  RunState& state_;
  Moment& moment_;
  KernelMemory memory_;
  BlockThreads threads_;
  std::vector<void*> parameters_;
  std::vector<Slot> slots_;
  const std::byte *stack_begin_ = nullptr, *stack_end_ = nullptr;  ///< of the thread that runs
  unsigned block_ = 0;
  std::string finding_;
  std::vector<const void*> places_;  ///< of it in the code, the innermost first
};

}  // namespace op2::test::gpu::cuda
