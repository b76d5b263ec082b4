// SPDX-License-Identifier: BSD-3-Clause
#include "fiber.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <system_error>

namespace op2::test::gpu::cuda {
namespace {

constexpr std::size_t stack_bytes = std::size_t{256} << 10, guard_bytes = 4096;

}  // namespace

Fiber::Fiber(void (*body)()) : body_(body) {
  void* memory = ::mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  stack_ = {static_cast<std::byte*>(memory), stack_bytes};
  ::mprotect(memory, guard_bytes, PROT_NONE);
}

Fiber::~Fiber() {
  ::munmap(stack_.data(), stack_.size());
}

void Fiber::resume() {
  if (_setjmp(outside_) != 0) return;
  if (started_) _longjmp(inside_, 1);
  started_ = true;
  ::getcontext(&first_);
  first_.uc_stack.ss_sp = stack_.data();
  first_.uc_stack.ss_size = stack_.size();
  first_.uc_link = nullptr;
  ::makecontext(&first_, body_, 0);
  ::setcontext(&first_);
}

void Fiber::suspend() {
  if (_setjmp(inside_) == 0) _longjmp(outside_, 1);
}

}  // namespace op2::test::gpu::cuda
