// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/build_id.hpp>

#include <cstring>

#include <fmt/format.h>
#include <link.h>

namespace op2::jit {
namespace {

struct Search {
  ElfW(Addr) address;
  std::string id;
};

bool contains(const dl_phdr_info& library, ElfW(Addr) address) {
  for (int i = 0; i < library.dlpi_phnum; ++i) {
    const auto& part = library.dlpi_phdr[i];
    const auto begin = library.dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && address >= begin && address - begin < part.p_memsz) return true;
  }
  return false;
}

std::size_t padded(std::size_t size) {
  return (size + 3) / 4 * 4;
}

/// Notes are a header, a name and a description each, both padded to 4 bytes.
std::string id_in_notes(const char* notes, std::size_t size) {
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes, sizeof header);
    const char* name = notes + sizeof header;
    const char* content = name + padded(header.n_namesz);
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 &&
        std::memcmp(name, "GNU", 4) == 0) {
      std::string id;
      for (std::size_t i = 0; i < header.n_descsz; ++i) {
        id += fmt::format("{:02x}", static_cast<unsigned char>(content[i]));
      }
      return id;
    }
    const std::size_t length = sizeof header + padded(header.n_namesz) + padded(header.n_descsz);
    if (length > size) break;
    notes += length;
    size -= length;
  }
  return {};
}

int visit(dl_phdr_info* library, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (!contains(*library, search.address)) return 0;
  for (int i = 0; i < library->dlpi_phnum && search.id.empty(); ++i) {
    const auto& part = library->dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    search.id =
        id_in_notes(reinterpret_cast<const char*>(library->dlpi_addr + part.p_vaddr), part.p_memsz);
  }
  return 1;
}

}  // namespace

std::string build_id_of(const void* address) {
  Search search{reinterpret_cast<ElfW(Addr)>(address), {}};
  dl_iterate_phdr(visit, &search);
  return search.id;
}

}  // namespace op2::jit
