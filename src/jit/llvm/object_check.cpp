// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/object_check.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/TargetParser/Host.h>

namespace op2::jit {
namespace {

using llvm::object::ELFObjectFileBase;

/// A name, or its part before a dot, of what the code generator writes. No list of functions to be
/// run at start: nothing runs it.
bool is_known_section(llvm::StringRef name) {
  constexpr std::array known{
      "",          ".text",    ".rodata",       ".data",         ".bss",
      ".eh_frame", ".comment", ".symtab",       ".strtab",       ".shstrtab",
      ".group",    ".note",    ".llvm_addrsig", ".symtab_shndx", ".linker-options"};
  name.consume_front(".rela");
  return std::any_of(known.begin(), known.end(), [name](llvm::StringRef start) {
    return name == start || (!start.empty() && name.starts_with((start + ".").str()));
  });
}

/// Absolute, relative to the place, or through the table of offsets. Other machines name theirs
/// otherwise; for them the linker alone decides.
bool is_known_relocation(llvm::Triple::ArchType machine, std::uint64_t type) {
  using namespace llvm::ELF;
  constexpr std::array<std::uint64_t, 12> known{
      R_X86_64_64,      R_X86_64_32,      R_X86_64_32S,           R_X86_64_PC32,
      R_X86_64_PC64,    R_X86_64_PLT32,   R_X86_64_GOTPCREL,      R_X86_64_GOTPCRELX,
      R_X86_64_GOTPC32, R_X86_64_GOTPC64, R_X86_64_REX_GOTPCRELX, R_X86_64_GOTOFF64};
  return machine != llvm::Triple::x86_64 ||
         std::find(known.begin(), known.end(), type) != known.end();
}

llvm::Error check_sections(const ELFObjectFileBase& object) {
  for (const llvm::object::ELFSectionRef section : object.sections()) {
    auto name = section.getName();
    if (!name) return name.takeError();
    if ((section.getFlags() & llvm::ELF::SHF_TLS) != 0) {
      return llvm::createStringError(
          "it has thread_local variables, which generated code may not have");
    }
    if (!is_known_section(*name)) {
      return llvm::createStringError("it has a section '" + *name +
                                     "', which generated code may not have");
    }
  }
  return llvm::Error::success();
}

llvm::Error check_relocations(const ELFObjectFileBase& object) {
  for (const auto& section : object.sections()) {
    for (const auto& relocation : section.relocations()) {
      if (is_known_relocation(object.getArch(), relocation.getType())) continue;
      llvm::SmallString<32> type;
      relocation.getTypeName(type);
      return llvm::createStringError("it has a relocation " + type +
                                     ", which generated code may not have");
    }
  }
  return llvm::Error::success();
}

llvm::Expected<std::vector<std::string>> check_symbols(const ELFObjectFileBase& object,
                                                       const std::string& entry) {
  using llvm::object::SymbolRef;
  std::vector<std::string> undefined;
  bool has_entry = false;
  for (const llvm::object::ELFSymbolRef symbol : object.symbols()) {
    auto name = symbol.getName();
    if (!name) return name.takeError();
    auto flags = symbol.getFlags();
    if (!flags) return flags.takeError();
    if (*flags & SymbolRef::SF_FormatSpecific) continue;
    if (symbol.getELFType() == llvm::ELF::STT_GNU_IFUNC) {
      return llvm::createStringError("'" + *name + "' is chosen when it is linked (ifunc)");
    }
    if (*flags & SymbolRef::SF_Undefined) {
      if (*name != "_GLOBAL_OFFSET_TABLE_") undefined.push_back(name->str());
    } else if (*name == entry && (*flags & SymbolRef::SF_Global)) {
      has_entry = true;
    }
  }
  if (!has_entry) return llvm::createStringError("it does not define '" + entry + "'");
  return undefined;
}

}  // namespace

llvm::Expected<std::vector<std::string>> check_object(llvm::MemoryBufferRef bytes,
                                                      const std::string& entry) {
  auto object = llvm::object::ObjectFile::createELFObjectFile(bytes);
  if (!object) return object.takeError();
  const auto* elf = llvm::dyn_cast<ELFObjectFileBase>(object->get());
  if (elf == nullptr || elf->getEType() != llvm::ELF::ET_REL) {
    return llvm::createStringError("it is not a relocatable ELF file");
  }
  if (elf->getArch() != llvm::Triple(llvm::sys::getProcessTriple()).getArch()) {
    return llvm::createStringError("it is for another machine (" + elf->makeTriple().str() + ")");
  }
  if (auto error = check_sections(*elf)) return error;
  if (auto error = check_relocations(*elf)) return error;
  return check_symbols(*elf, entry);
}

}  // namespace op2::jit
