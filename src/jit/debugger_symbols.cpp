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
#include <string_view>
#include <utility>

#include <fmt/format.h>

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

/// An ELF file that is being written: contents, then the table of sections.
class SymbolFile {
 public:
  SymbolFile() : bytes_(sizeof(Elf64_Ehdr)) { add("", {}, {}); }

  void add(const char* name, Elf64_Shdr section, std::span<const std::byte> content) {
    section.sh_name = static_cast<Elf64_Word>(names_.size());
    names_.append(name).push_back('\0');
    bytes_.resize((bytes_.size() + 63) / 64 * 64);
    section.sh_offset = bytes_.size();
    if (section.sh_type != SHT_NOBITS) section.sh_size = content.size();
    bytes_.insert(bytes_.end(), content.begin(), content.end());
    sections_.push_back(section);
  }

  std::vector<std::byte> finish(std::uint16_t machine) {
    Elf64_Shdr section{};
    section.sh_type = SHT_STRTAB;
    const std::string names = names_ + std::string(".shstrtab") + '\0';
    add(".shstrtab", section, std::as_bytes(std::span(names)));
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_EXEC;
    header.e_machine = machine;
    header.e_version = EV_CURRENT;
    header.e_ehsize = sizeof header;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shoff = bytes_.size();
    header.e_shnum = static_cast<Elf64_Half>(sections_.size());
    header.e_shstrndx = static_cast<Elf64_Half>(sections_.size() - 1);
    std::memcpy(bytes_.data(), &header, sizeof header);
    const auto table = std::as_bytes(std::span(sections_));
    bytes_.insert(bytes_.end(), table.begin(), table.end());
    return std::move(bytes_);
  }

 private:
  std::vector<std::byte> bytes_;
  std::vector<Elf64_Shdr> sections_;
  std::string names_;
};

Elf64_Shdr section_of(const CodeSymbols& code) {
  Elf64_Shdr section{};
  section.sh_type = SHT_NOBITS;  // the code is in memory
  section.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
  section.sh_addr = code.begin;
  section.sh_size = code.size;
  section.sh_addralign = 16;
  return section;
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

std::vector<std::byte> symbol_file(const CodeSymbols& code) {
  constexpr Elf64_Half text = 1, strings = 3;  // numbers of sections
  std::vector<Elf64_Sym> symbols(1);
  std::string names(1, '\0');
  for (const CodeSymbols::Function& function : code.functions) {
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<Elf64_Word>(names.size());
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbol.st_shndx = text;
    symbol.st_value = function.address;
    symbol.st_size = function.size;
    symbols.push_back(symbol);
    names += function.name + '\0';
  }
  SymbolFile file;
  file.add(".text", section_of(code), {});
  Elf64_Shdr table{};
  table.sh_type = SHT_SYMTAB;
  table.sh_link = strings;
  table.sh_info = 1;  // the first global symbol
  table.sh_entsize = sizeof(Elf64_Sym);
  table.sh_addralign = 8;
  file.add(".symtab", table, std::as_bytes(std::span(symbols)));
  Elf64_Shdr text_of_names{};
  text_of_names.sh_type = SHT_STRTAB;
  file.add(".strtab", text_of_names, std::as_bytes(std::span(names)));
  return file.finish(code.machine);
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
  const int file = ::open(path.c_str(), flags, 0600);
  if (file < 0) return false;
  const bool written = ::write(file, lines.data(), lines.size()) == std::ssize(lines);
  ::close(file);
  return written;
}

std::string perf_map_path() {
  return fmt::format("/tmp/perf-{}.map", getpid());
}

}  // namespace op2::jit
