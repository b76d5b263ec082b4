// SPDX-License-Identifier: BSD-3-Clause
#include <gpu/shared_library.hpp>

#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

#include <core/hash.hpp>

namespace op2::gpu {
namespace {

/// Null if the loader does not know it.
const link_map* entry_of(void* handle) {
  link_map* entry = nullptr;
  return dlinfo(handle, RTLD_DI_LINKMAP, &entry) == 0 ? entry : nullptr;
}

std::string path_of(void* handle, const std::string& file) {
  const link_map* entry = entry_of(handle);
  return entry == nullptr || entry->l_name[0] == '\0' ? file : entry->l_name;
}

std::size_t aligned(std::size_t bytes) {
  return (bytes + 3) / 4 * 4;
}

/// The content of the note NT_GNU_BUILD_ID; empty if there is none.
std::span<const std::uint8_t> build_id_in(const std::uint8_t* notes, std::size_t bytes) {
  const std::uint8_t* const end = notes + bytes;
  while (end - notes >= static_cast<std::ptrdiff_t>(sizeof(ElfW(Nhdr)))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes, sizeof note);
    const std::uint8_t* const name = notes + sizeof note;
    const std::uint8_t* const content = name + aligned(note.n_namesz);
    if (content + note.n_descsz > end) return {};
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU &&
        std::memcmp(name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0)
      return {content, note.n_descsz};
    notes = content + aligned(note.n_descsz);
  }
  return {};
}

/// A loaded library, and what its notes say.
struct Sought {
  ElfW(Addr) address;
  std::span<const std::uint8_t> build_id;
};

int look_at(dl_phdr_info* library, std::size_t, void* data) {
  auto& sought = *static_cast<Sought*>(data);
  if (library->dlpi_addr != sought.address) return 0;
  for (const ElfW(Phdr) & part : std::span(library->dlpi_phdr, library->dlpi_phnum))
    if (part.p_type == PT_NOTE && sought.build_id.empty())
      sought.build_id = build_id_in(
          reinterpret_cast<const std::uint8_t*>(library->dlpi_addr + part.p_vaddr), part.p_memsz);
  return 1;
}

}  // namespace

SharedLibrary::SharedLibrary(void* handle, std::string path)
    : handle_(handle), path_(std::move(path)) {}

std::optional<SharedLibrary> SharedLibrary::open(const std::string& file, std::string& why) {
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    why = dlerror();
    return std::nullopt;
  }
  return SharedLibrary(handle, path_of(handle, file));
}

std::string SharedLibrary::build_id() const {
  const link_map* entry = entry_of(handle_);
  if (entry == nullptr) return "unknown";
  Sought sought{entry->l_addr, {}};
  dl_iterate_phdr(look_at, &sought);
  return sought.build_id.empty() ? "unknown" : core::to_hex(sought.build_id);
}

void* SharedLibrary::find(const char* name) {
  void* const address = dlsym(handle_, name);
  if (address == nullptr) missing_.append(" ").append(name);
  return address;
}

}  // namespace op2::gpu
