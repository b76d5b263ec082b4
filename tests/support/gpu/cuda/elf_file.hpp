// SPDX-License-Identifier: BSD-3-Clause
// What the headers of a compiled module say of it.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace op2::test::gpu::cuda {

/// The bytes of an ELF file that begins there. @throws std::runtime_error if none does
std::span<const std::byte> elf_file_at(const void* begin);

/// Bytes of thread-local memory, which holds __shared__ variables.
std::size_t thread_local_bytes(std::span<const std::byte> file);
/// Bytes of a section; 0 if there is none.
std::size_t section_bytes(std::span<const std::byte> file, std::string_view name);

}  // namespace op2::test::gpu::cuda
