// SPDX-License-Identifier: BSD-3-Clause
#include <jit/code_symbols.hpp>

#include <elf.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string_view>

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

}  // namespace op2::jit
