// SPDX-License-Identifier: BSD-3-Clause
// A function that stops in the middle and goes on later, on its own stack and in one thread of the
// host.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <cstddef>
#include <span>

namespace op2::test::gpu::cuda {

class Fiber {
 public:
  /// @param body  is called by the first `resume`; must not return
  explicit Fiber(void (*body)());
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Returns when the body suspends.
  void resume();
  /// Called by the body: `resume` returns.
  void suspend();
  /// The next `resume` begins again. What the body had on its stack is not destroyed.
  void restart() { started_ = false; }

  /// For checks of accesses; whole pages.
  std::span<const std::byte> stack() const { return stack_; }

 private:
  void (*body_)();
  std::span<std::byte> stack_;
  bool started_ = false;
  ucontext_t first_{};            ///< of the body's first call
  jmp_buf inside_{}, outside_{};  ///< where to go on
};

}  // namespace op2::test::gpu::cuda
