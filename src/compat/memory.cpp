// SPDX-License-Identifier: BSD-3-Clause
// Memory that `free` frees as well.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <op2/compat/op2_functions.h>

#include <core/arithmetic.hpp>

namespace op2::compat {
namespace {

constexpr std::size_t alignment = 64;

bool is_aligned(const void* memory) {
  return reinterpret_cast<std::uintptr_t>(memory) % alignment == 0;
}

}  // namespace

void* op_malloc(unsigned long size) {
  if (size > SIZE_MAX - alignment) return nullptr;
  return std::aligned_alloc(alignment, core::round_up(size, alignment));
}
void* op_calloc(unsigned long count, unsigned long size) {
  unsigned long bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) return nullptr;
  void* const memory = compat::op_malloc(bytes);
  if (memory != nullptr) std::memset(memory, 0, bytes);
  return memory;
}
void* op_realloc(void* memory, unsigned long size) {
  void* const longer = std::realloc(memory, size);
  if (longer == nullptr || is_aligned(longer)) return longer;
  void* const aligned = compat::op_malloc(size);
  if (aligned != nullptr) std::memcpy(aligned, longer, size);
  std::free(longer);
  return aligned;
}
void op_free(void* memory) {
  std::free(memory);
}

}  // namespace op2::compat
