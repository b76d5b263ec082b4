// SPDX-License-Identifier: BSD-3-Clause
// What compiled kernels call: before each access, at barriers, for updates of memory. The names of
// the first group are those of GCC's thread sanitizer, with another beginning
// (compile_kernels.cpp).
#include <cstddef>
#include <cstdint>

#include "kernel_run.hpp"
#include "thread_index.hpp"

using op2::test::gpu::AccessKind;
using op2::test::gpu::cuda::Index3;
using op2::test::gpu::cuda::KernelRun;

extern "C" {
// Small enough for the part of thread-local memory that needs no call.
__attribute__((tls_model("initial-exec"))) thread_local Index3 op2_emu_thread, op2_emu_block,
    op2_emu_threads, op2_emu_blocks;
}

namespace op2::test::gpu::cuda {

Index3& thread_index() {
  return op2_emu_thread;
}
Index3& block_index() {
  return op2_emu_block;
}
Index3& block_shape() {
  return op2_emu_threads;
}
Index3& grid_shape() {
  return op2_emu_blocks;
}

namespace {

template <std::size_t bytes>
void check(const void* data, AccessKind kind) {
  if (KernelRun* run = KernelRun::running()) run->access(data, bytes, kind, bytes);
}

void check_range(const void* data, std::size_t bytes, AccessKind kind) {
  KernelRun* run = KernelRun::running();
  if (run != nullptr && bytes > 0) run->access(data, bytes, kind, 1);
}

}  // namespace
}  // namespace op2::test::gpu::cuda

using op2::test::gpu::cuda::check;
using op2::test::gpu::cuda::check_range;

extern "C" {

void op2_emu_init() {}
void op2_emu_func_entry(void*) {}
void op2_emu_func_exit() {}
void op2_emu_vptr_update(void** at, void*) {
  check<8>(at, AccessKind::write);
}
void op2_emu_vptr_read(void** at) {
  check<8>(at, AccessKind::read);
}

void op2_emu_read1(void* at) {
  check<1>(at, AccessKind::read);
}
void op2_emu_read2(void* at) {
  check<2>(at, AccessKind::read);
}
void op2_emu_read4(void* at) {
  check<4>(at, AccessKind::read);
}
void op2_emu_read8(void* at) {
  check<8>(at, AccessKind::read);
}
void op2_emu_read16(void* at) {
  check<16>(at, AccessKind::read);
}
void op2_emu_write1(void* at) {
  check<1>(at, AccessKind::write);
}
void op2_emu_write2(void* at) {
  check<2>(at, AccessKind::write);
}
void op2_emu_write4(void* at) {
  check<4>(at, AccessKind::write);
}
void op2_emu_write8(void* at) {
  check<8>(at, AccessKind::write);
}
void op2_emu_write16(void* at) {
  check<16>(at, AccessKind::write);
}
// Of types that need less alignment than their size.
void op2_emu_unaligned_read2(void* at) {
  check_range(at, 2, AccessKind::read);
}
void op2_emu_unaligned_read4(void* at) {
  check_range(at, 4, AccessKind::read);
}
void op2_emu_unaligned_read8(void* at) {
  check_range(at, 8, AccessKind::read);
}
void op2_emu_unaligned_read16(void* at) {
  check_range(at, 16, AccessKind::read);
}
void op2_emu_unaligned_write2(void* at) {
  check_range(at, 2, AccessKind::write);
}
void op2_emu_unaligned_write4(void* at) {
  check_range(at, 4, AccessKind::write);
}
void op2_emu_unaligned_write8(void* at) {
  check_range(at, 8, AccessKind::write);
}
void op2_emu_unaligned_write16(void* at) {
  check_range(at, 16, AccessKind::write);
}
void op2_emu_read_range(void* at, std::size_t n) {
  check_range(at, n, AccessKind::read);
}
void op2_emu_write_range(void* at, std::size_t n) {
  check_range(at, n, AccessKind::write);
}

/// Before an atomic update.
void op2_emu_update(const void* at, std::size_t bytes) {
  if (KernelRun* run = KernelRun::running()) run->access(at, bytes, AccessKind::atomic, bytes);
}
void op2_emu_barrier(int line) {
  KernelRun::running()->wait_for_block(line);
}
void op2_emu_warp_barrier(std::uint32_t mask, int line) {
  KernelRun::running()->wait_for_warp(mask, line);
}
void op2_emu_exchange(void* value, std::size_t bytes, unsigned from_lane, std::uint32_t mask,
                      int line) {
  KernelRun::running()->exchange(value, bytes, from_lane, mask, line);
}
void op2_emu_assertion(const char* condition, unsigned line) {
  KernelRun::running()->fail_assertion(condition, line);
}
std::uint32_t op2_emu_ballot(int vote, std::uint32_t mask, int line) {
  return KernelRun::running()->ballot(vote != 0, mask, line);
}
}
