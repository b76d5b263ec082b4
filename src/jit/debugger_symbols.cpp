// SPDX-License-Identifier: BSD-3-Clause
#include <jit/debugger_symbols.hpp>

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <jit/file_descriptor.hpp>

// gdb knows the names and layouts of these, reads the list, and stops at the function to read it
// again. This is global by gdb's definition.
extern "C" {
struct jit_code_entry {
  jit_code_entry* next;
  jit_code_entry* before;
  const char* file;
  std::uint64_t bytes;
};
struct jit_descriptor {
  std::uint32_t version;
  std::uint32_t action;
  jit_code_entry* relevant;
  jit_code_entry* first;
};
[[gnu::visibility("default"), gnu::used]] jit_descriptor __jit_debug_descriptor = {1, 0, nullptr,
                                                                                   nullptr};
[[gnu::visibility("default"), gnu::used, gnu::noinline]] void __jit_debug_register_code() {
  asm volatile("" ::: "memory");
}
}

namespace op2::jit {
namespace {

/// A relocatable ELF file. What lies outside it reads as nothing.
class Object {
 public:
  explicit Object(std::span<const std::byte> bytes) : bytes_(bytes) {
    const auto headers = array<Elf64_Ehdr>(0, 1);
    if (headers.empty() || std::memcmp(headers[0].e_ident, ELFMAG, SELFMAG) != 0 ||
        headers[0].e_ident[EI_CLASS] != ELFCLASS64 || headers[0].e_type != ET_REL)
      return;
    machine = headers[0].e_machine;
    sections = array<Elf64_Shdr>(headers[0].e_shoff, headers[0].e_shnum);
    for (const Elf64_Shdr& section : sections) {
      if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
      symbols = array<Elf64_Sym>(section.sh_offset, section.sh_size / sizeof(Elf64_Sym));
      const Elf64_Shdr& names = sections[section.sh_link];
      names_ = array<std::byte>(names.sh_offset, names.sh_size);
    }
  }

  template <class T>
  std::vector<T> array(std::uint64_t offset, std::uint64_t count) const {
    if (offset > bytes_.size() || count > (bytes_.size() - offset) / sizeof(T)) return {};
    std::vector<T> values(count);
    if (count > 0) std::memcpy(values.data(), bytes_.data() + offset, count * sizeof(T));
    return values;
  }
  std::string name(const Elf64_Sym& symbol) const {
    if (symbol.st_name >= names_.size()) return {};
    const auto* begin = reinterpret_cast<const char*>(names_.data()) + symbol.st_name;
    return {begin, strnlen(begin, names_.size() - symbol.st_name)};
  }

  std::uint16_t machine = EM_NONE;
  std::vector<Elf64_Shdr> sections;
  std::vector<Elf64_Sym> symbols;

 private:
  std::span<const std::byte> bytes_;
  std::vector<std::byte> names_;
};

enum Action : std::uint32_t { added = 1, removed = 2 };

std::mutex& list_mutex() {
  static std::mutex mutex;
  return mutex;
}

void notify(Action action, jit_code_entry& entry) {
  __jit_debug_descriptor.action = action;
  __jit_debug_descriptor.relevant = &entry;
  __jit_debug_register_code();
}

/// One element of gdb's list.
class Listed {
 public:
  explicit Listed(std::vector<std::byte> file) : file_(std::move(file)) {
    const std::lock_guard lock(list_mutex());
    jit_code_entry*& first = __jit_debug_descriptor.first;
    entry_ = {first, nullptr, reinterpret_cast<const char*>(file_.data()), file_.size()};
    if (first != nullptr) first->before = &entry_;
    first = &entry_;
    notify(added, entry_);
  }
  ~Listed() {
    const std::lock_guard lock(list_mutex());
    if (entry_.next != nullptr) entry_.next->before = entry_.before;
    (entry_.before != nullptr ? entry_.before->next : __jit_debug_descriptor.first) = entry_.next;
    notify(removed, entry_);
  }
  Listed(const Listed&) = delete;
  Listed& operator=(const Listed&) = delete;

 private:
  std::vector<std::byte> file_;
  jit_code_entry entry_{};
};

/// An ELF file with the symbols of loaded code, but not the code.
std::vector<std::byte> symbol_file(const CodeSymbols& code) {
  std::string names("\0.text\0.symtab\0.strtab", 23);  // sections 1 to 3, then functions
  std::vector<Elf64_Sym> symbols(1);
  for (const CodeSymbols::Function& function : code.functions) {
    symbols.push_back({static_cast<Elf64_Word>(names.size()), ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                       STV_DEFAULT, 1, function.address, function.size});
    names += function.name + '\0';
  }
  struct {
    Elf64_Ehdr file;
    Elf64_Shdr sections[4];
  } head{};
  const std::size_t symbol_bytes = symbols.size() * sizeof(Elf64_Sym);
  // Name, type, flags, address, offset, size, link, info, alignment, size of an entry.
  head.sections[1] = {
      1, SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, code.begin, sizeof head, code.size, 0, 0, 16, 0};
  head.sections[2] = {7, SHT_SYMTAB, 0, 0, sizeof head, symbol_bytes, 3, 1, 8, sizeof(Elf64_Sym)};
  head.sections[3] = {15, SHT_STRTAB, 0, 0, sizeof head + symbol_bytes, names.size(), 0, 0, 1, 0};
  std::memcpy(head.file.e_ident, ELFMAG, SELFMAG);
  head.file.e_ident[EI_CLASS] = ELFCLASS64;
  head.file.e_ident[EI_DATA] = ELFDATA2LSB;
  head.file.e_ident[EI_VERSION] = EV_CURRENT;
  head.file.e_type = ET_EXEC;
  head.file.e_machine = code.machine;
  head.file.e_version = EV_CURRENT;
  head.file.e_ehsize = head.file.e_shoff = sizeof head.file;
  head.file.e_shentsize = sizeof(Elf64_Shdr);
  head.file.e_shnum = 4;
  head.file.e_shstrndx = 3;
  std::vector<std::byte> bytes;
  for (const auto part : {std::as_bytes(std::span(&head, 1)), std::as_bytes(std::span(symbols)),
                          std::as_bytes(std::span(names))})
    bytes.insert(bytes.end(), part.begin(), part.end());
  return bytes;
}

}  // namespace

std::optional<CodeSymbols> code_symbols(std::span<const std::byte> object, const std::string& entry,
                                        std::uint64_t address, const std::string& name) {
  const Object file(object);
  const auto found = std::ranges::find_if(
      file.symbols, [&](const Elf64_Sym& symbol) { return file.name(symbol) == entry; });
  if (found == file.symbols.end() || found->st_shndx >= file.sections.size()) return {};
  CodeSymbols code;
  code.machine = file.machine;
  code.begin = address - found->st_value;
  code.size = file.sections[found->st_shndx].sh_size;
  for (const Elf64_Sym& symbol : file.symbols)
    if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx == found->st_shndx)
      code.functions.push_back({&symbol == &*found ? name : name + "." + file.name(symbol),
                                code.begin + symbol.st_value, symbol.st_size});
  std::ranges::sort(code.functions, {}, &CodeSymbols::Function::address);
  return code;
}

std::string symbol_of_loop(const std::string& loops) {
  std::string name = "op2_loop_" + loops;
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

std::shared_ptr<void> register_with_gdb(const CodeSymbols& code) {
  return std::make_shared<Listed>(symbol_file(code));
}

/// One call of write, which other threads and processes do not interrupt. Not through a link, since
/// anyone can write to /tmp.
bool register_with_perf(const CodeSymbols& code, const std::string& path) {
  std::string lines;
  for (const CodeSymbols::Function& function : code.functions)
    lines += fmt::format("{:x} {:x} {}\n", function.address, function.size, function.name);
  constexpr int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW;
  const FileDescriptor file(::open(path.c_str(), flags, 0600));
  return file && ::write(file.get(), lines.data(), lines.size()) == std::ssize(lines);
}

std::string perf_map_path() {
  return fmt::format("/tmp/perf-{}.map", getpid());
}

}  // namespace op2::jit
