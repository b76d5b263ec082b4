// SPDX-License-Identifier: BSD-3-Clause
#include "poison.hpp"

#include <cstring>

namespace op2::test::gpu {
namespace {

constexpr std::size_t word = sizeof poison_word;

std::size_t offset_in_word(const std::byte* byte) {
  return reinterpret_cast<std::uintptr_t>(byte) % word;
}

std::byte expected(const std::byte* byte) {
  return static_cast<std::byte>(poison_word >> (8 * offset_in_word(byte)));
}

}  // namespace

void poison(std::span<std::byte> memory) {
  for (std::byte& byte : memory) byte = expected(&byte);
}

bool in_poisoned_word(const std::byte* byte) {
  std::uint32_t found = 0;
  std::memcpy(&found, byte - offset_in_word(byte), word);
  return found == poison_word;
}

const std::byte* first_changed(std::span<const std::byte> memory) {
  for (const std::byte& byte : memory)
    if (byte != expected(&byte)) return &byte;
  return memory.data() + memory.size();
}

}  // namespace op2::test::gpu
