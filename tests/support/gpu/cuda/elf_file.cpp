// SPDX-License-Identifier: BSD-3-Clause
#include "elf_file.hpp"

#include <elf.h>

#include <cstring>
#include <stdexcept>

namespace op2::test::gpu::cuda {
namespace {

template <class Record>
Record read(std::span<const std::byte> file, std::size_t offset) {
  Record record;
  if (offset + sizeof record > file.size()) throw std::runtime_error("a module is cut off");
  std::memcpy(&record, file.data() + offset, sizeof record);
  return record;
}

Elf64_Ehdr header_of(std::span<const std::byte> file) {
  return read<Elf64_Ehdr>(file, 0);
}

Elf64_Shdr section(std::span<const std::byte> file, std::size_t k) {
  const Elf64_Ehdr header = header_of(file);
  return read<Elf64_Shdr>(file, header.e_shoff + k * header.e_shentsize);
}

}  // namespace

std::span<const std::byte> elf_file_at(const void* begin) {
  if (std::memcmp(begin, ELFMAG, SELFMAG) != 0) throw std::runtime_error("this is not a module");
  Elf64_Ehdr header;
  std::memcpy(&header, begin, sizeof header);
  if (header.e_machine == EM_CUDA)
    throw std::runtime_error(
        "a module is not of the emulated compiler: set OP2_NVRTC to this library, too");
  // The linker writes the table of sections last.
  const std::size_t bytes = header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize;
  return {static_cast<const std::byte*>(begin), bytes};
}

std::size_t thread_local_bytes(std::span<const std::byte> file) {
  const Elf64_Ehdr header = header_of(file);
  for (std::size_t k = 0; k < header.e_phnum; ++k) {
    const auto segment = read<Elf64_Phdr>(file, header.e_phoff + k * header.e_phentsize);
    if (segment.p_type == PT_TLS) return segment.p_memsz;
  }
  return 0;
}

std::size_t section_bytes(std::span<const std::byte> file, std::string_view name) {
  const Elf64_Ehdr header = header_of(file);
  const std::size_t names = section(file, header.e_shstrndx).sh_offset;
  for (std::size_t k = 0; k < header.e_shnum; ++k) {
    const Elf64_Shdr found = section(file, k);
    const auto* text = reinterpret_cast<const char*>(file.data() + names + found.sh_name);
    if (name == text) return found.sh_size;
  }
  return 0;
}

}  // namespace op2::test::gpu::cuda
