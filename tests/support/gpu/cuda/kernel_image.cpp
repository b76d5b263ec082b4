// SPDX-License-Identifier: BSD-3-Clause
#include "kernel_image.hpp"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "elf_file.hpp"

#include <fmt/format.h>

namespace op2::test::gpu::cuda {
namespace {

/// A file for the dynamic linker, which wants a name that it has not seen before.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::span<const std::byte> content)
      : name_((std::filesystem::temp_directory_path() / "kernels_XXXXXX").string()) {
    const int file = ::mkstemp(name_.data());
    const bool written =
        file >= 0 && ::write(file, content.data(), content.size()) == ssize_t(content.size());
    if (file >= 0) ::close(file);
    if (!written) throw std::runtime_error("a module cannot be written to " + name_);
  }
  ~TemporaryFile() { ::unlink(name_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const char* name() const { return name_.c_str(); }

 private:
  std::string name_;
};

std::byte* bytes_at(std::uintptr_t address) {
  return reinterpret_cast<std::byte*>(address);
}

template <class Function>
Function function_at(void* handle, const std::string& name) {
  return reinterpret_cast<Function>(::dlsym(handle, name.c_str()));
}

}  // namespace

KernelImage::KernelImage(const void* elf) {
  const auto bytes = elf_file_at(elf);
  file_.assign(bytes.begin(), bytes.end());
  const TemporaryFile file(file_);
  handle_ = ::dlopen(file.name(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) throw std::runtime_error(::dlerror());
  find_segments();
  std::byte* const* constants = function_at<std::byte* const*>(handle_, "op2_emu_constants");
  if (constants != nullptr) constants_ = {constants[0], constants[1]};
}

KernelImage::~KernelImage() {
  ::dlclose(handle_);
}

void KernelImage::find_segments() {
  link_map* map = nullptr;
  ::dlinfo(handle_, RTLD_DI_LINKMAP, &map);
  const auto* base = bytes_at(map->l_addr);
  const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(base);
  const auto* first = reinterpret_cast<const ElfW(Phdr)*>(base + header->e_phoff);
  std::byte* end = nullptr;
  for (const ElfW(Phdr) & segment : std::span(first, header->e_phnum)) {
    if (segment.p_type == PT_TLS) shared_bytes_ = segment.p_memsz;
    if (segment.p_type != PT_LOAD) continue;
    const std::span memory{bytes_at(map->l_addr + segment.p_vaddr), segment.p_memsz};
    if ((segment.p_flags & PF_W) != 0) writable_ = memory;
    end = std::max(end, memory.data() + memory.size());
  }
  all_ = {bytes_at(map->l_addr), end};
}

std::string KernelImage::line_of(const void* code) const {
  const TemporaryFile file(file_);
  const auto offset = static_cast<const std::byte*>(code) - all_.data();
  const std::string command =
      fmt::format("addr2line -i -e '{}' {:#x} 2>/dev/null", file.name(), offset);
  const auto close = [](FILE* pipe) { ::pclose(pipe); };
  const std::unique_ptr<FILE, decltype(close)> answer(::popen(command.c_str(), "r"), close);
  std::array<char, 1024> line{};
  std::string place = "?";
  while (answer != nullptr && std::fgets(line.data(), line.size(), answer.get()) != nullptr) {
    place = std::filesystem::path(line.data()).filename();
    place = place.substr(0, place.find_first_of(" \n"));
    if (!place.starts_with(device_header)) break;  // the function that calls it comes next
  }
  return place;
}

std::span<std::byte> KernelImage::shared() const {
  void* block = nullptr;
  function_at<void* (*)()>(handle_, "op2_emu_shared")();  // makes it in this thread
  ::dlinfo(handle_, RTLD_DI_TLS_DATA, &block);
  return {static_cast<std::byte*>(block), shared_bytes_};
}

std::optional<Entry> KernelImage::entry(const std::string& name) const {
  const auto call = function_at<void (*)(void**)>(handle_, "op2_emu_call_" + name);
  const auto sizes = function_at<const int* (*)()>(handle_, "op2_emu_sizes_" + name);
  const auto threads = function_at<int (*)()>(handle_, "op2_emu_threads_" + name);
  if (call == nullptr || sizes == nullptr || threads == nullptr) return std::nullopt;
  Entry entry{name, call, {}, threads()};
  for (const int* size = sizes(); *size > 0; ++size) entry.sizes.push_back(*size);
  return entry;
}

std::optional<Variable> KernelImage::variable(const std::string& name) const {
  void* address = ::dlsym(handle_, name.c_str());
  Dl_info info{};
  const ElfW(Sym)* symbol = nullptr;
  if (address == nullptr ||
      ::dladdr1(address, &info, const_cast<void**>(reinterpret_cast<const void**>(&symbol)),
                RTLD_DL_SYMENT) == 0 ||
      symbol == nullptr || ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || address < all_.data() ||
      address >= all_.data() + all_.size())
    return std::nullopt;
  return Variable{static_cast<std::byte*>(address), symbol->st_size};
}

}  // namespace op2::test::gpu::cuda
