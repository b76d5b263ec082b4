// SPDX-License-Identifier: BSD-3-Clause
// The plug-in's interface to libop2: links objects itself, which needs LLVM but not Clang, and
// loads the compiler when it is first needed.
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ExecutorProcessControl.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/ExecutionEngine/Orc/TaskDispatch.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/TargetParser/Host.h>

#include <jit/backend.hpp>
#include <jit/llvm/machine.hpp>
#include <jit/llvm/math_libraries.hpp>
#include <jit/llvm/versions.hpp>
#include <jit/math_names.hpp>
#include <jit/trusted_path.hpp>

namespace op2::jit {
namespace {

/// Why generated code may not use `symbol`, in terms of the source that it comes from.
std::string refusal_of(const std::string& symbol) {
  const std::string_view name = symbol;
  if (is_consistent_mathematics(name)) return missing_consistent_function(symbol);
  if (name.starts_with("__cxa_guard_") || name == "__cxa_atexit") {
    return "a static variable in a function has an initial value that is computed at run time; "
           "make the value a constant expression, or compute it in the kernel";
  }
  if (name == "__tls_get_addr") return "thread_local variables cannot be used in a kernel";
  if (name.starts_with("__float") || name.ends_with("ti") || name.ends_with("ti3") ||
      name.ends_with("ti4")) {
    return fmt::format(
        "arithmetic of 128 bits that needs a library ('{}') cannot be used in a kernel", name);
  }
  return fmt::format(
      "it uses '{}', which is not defined in the source; define it there, or in a file "
      "that the text includes",
      llvm::demangle(name));
}

/// Names of the runtime libraries of sanitizers; in the process only if it is built with them.
bool is_of_sanitizer(std::string_view name) {
  return name.starts_with("__asan_") || name.starts_with("__ubsan_") || name.starts_with("__tsan_");
}

/// GCC's thread sanitizer has no `__tsan_memset` and the like, but intercepts `memset`.
void* address_in_sanitizer(const std::string& name) {
  void* address = dlsym(RTLD_DEFAULT, name.c_str());
  if (address != nullptr || !name.starts_with("__tsan_mem")) return address;
  return dlsym(RTLD_DEFAULT, name.c_str() + std::string_view("__tsan_").size());
}

using llvm::object::ELFObjectFileBase;

/// A name, or its part before a dot, of what the code generator writes. No list of functions to be
/// run at start: nothing runs it.
bool is_known_section(llvm::StringRef name) {
  constexpr std::array known{
      "",          ".text",    ".rodata",       ".data",         ".bss",
      ".eh_frame", ".comment", ".symtab",       ".strtab",       ".shstrtab",
      ".group",    ".note",    ".llvm_addrsig", ".symtab_shndx", ".linker-options"};
  name.consume_front(".rela");
  return std::ranges::any_of(known, [name](llvm::StringRef start) {
    return name == start || (!start.empty() && name.starts_with((start + ".").str()));
  });
}

/// Absolute, relative to the place, or through the table of offsets. Other machines name theirs
/// otherwise; for them the linker alone decides.
bool is_known_relocation(llvm::Triple::ArchType machine, std::uint64_t type) {
  using namespace llvm::ELF;
  constexpr std::array<std::uint64_t, 12> of_x86{
      R_X86_64_64,      R_X86_64_32,      R_X86_64_32S,           R_X86_64_PC32,
      R_X86_64_PC64,    R_X86_64_PLT32,   R_X86_64_GOTPCREL,      R_X86_64_GOTPCRELX,
      R_X86_64_GOTPC32, R_X86_64_GOTPC64, R_X86_64_REX_GOTPCRELX, R_X86_64_GOTOFF64};
  constexpr std::array<std::uint64_t, 16> of_arm{R_AARCH64_ABS64,
                                                 R_AARCH64_ABS32,
                                                 R_AARCH64_PREL64,
                                                 R_AARCH64_PREL32,
                                                 R_AARCH64_ADR_PREL_LO21,
                                                 R_AARCH64_ADR_PREL_PG_HI21,
                                                 R_AARCH64_ADD_ABS_LO12_NC,
                                                 R_AARCH64_LDST8_ABS_LO12_NC,
                                                 R_AARCH64_LDST16_ABS_LO12_NC,
                                                 R_AARCH64_LDST32_ABS_LO12_NC,
                                                 R_AARCH64_LDST64_ABS_LO12_NC,
                                                 R_AARCH64_LDST128_ABS_LO12_NC,
                                                 R_AARCH64_CALL26,
                                                 R_AARCH64_JUMP26,
                                                 R_AARCH64_ADR_GOT_PAGE,
                                                 R_AARCH64_LD64_GOT_LO12_NC};
  const auto is_in = [type](const auto& known) {
    return std::ranges::find(known, type) != known.end();
  };
  if (machine == llvm::Triple::aarch64) return is_in(of_arm);
  return machine != llvm::Triple::x86_64 || is_in(of_x86);
}

llvm::Error check_sections(const ELFObjectFileBase& object) {
  for (const llvm::object::ELFSectionRef section : object.sections()) {
    auto name = section.getName();
    if (!name) return name.takeError();
    if ((section.getFlags() & llvm::ELF::SHF_TLS) != 0) {
      return error_of("it has thread_local variables, which generated code may not have");
    }
    if (!is_known_section(*name)) {
      return error_of("it has a section '" + *name + "', which generated code may not have");
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
      return error_of("it has a relocation " + type + ", which generated code may not have");
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
      return error_of("'" + *name + "' is chosen when it is linked (ifunc)");
    }
    if (*flags & SymbolRef::SF_Undefined) {
      if (*name != "_GLOBAL_OFFSET_TABLE_") undefined.push_back(name->str());
    } else if (*name == entry && (*flags & SymbolRef::SF_Global)) {
      has_entry = true;
    }
  }
  if (!has_entry) return error_of("it does not define '" + entry + "'");
  return undefined;
}

/// Checks an object before a byte of it is mapped.
/// @return  its undefined symbols, or an error, unless it is a relocatable ELF file for this
/// machine
///          that defines `entry` and has only sections, symbols and relocations that generated code
///          has
llvm::Expected<std::vector<std::string>> check_object(llvm::MemoryBufferRef bytes,
                                                      const std::string& entry) {
  auto object = llvm::object::ObjectFile::createELFObjectFile(bytes);
  if (!object) return object.takeError();
  const auto* elf = llvm::dyn_cast<ELFObjectFileBase>(object->get());
  if (elf == nullptr || elf->getEType() != llvm::ELF::ET_REL) {
    return error_of("it is not a relocatable ELF file");
  }
  if (elf->getArch() != llvm::Triple(llvm::sys::getProcessTriple()).getArch()) {
    return error_of("it is for another machine (" + elf->makeTriple().str() + ")");
  }
  if (auto error = check_sections(*elf)) return error;
  if (auto error = check_relocations(*elf)) return error;
  return check_symbols(*elf, entry);
}

/// Maps and links objects. Its functions may be called from several threads at once.
class OrcLinker {
 public:
  explicit OrcLinker(std::unique_ptr<llvm::orc::ExecutorProcessControl> process)
      : session_(std::move(process)),
        layer_(session_),
        mathematics_(dlopen("libm.so.6", RTLD_NOW)),
        of_compiler_(dlopen("libgcc_s.so.1", RTLD_NOW)) {
    session_.setErrorReporter([this](llvm::Error error) {
      reported_ += (reported_.empty() ? "" : "; ") + llvm::toString(std::move(error));
    });
  }
  ~OrcLinker() { llvm::consumeError(session_.endSession()); }

  /// As Backend::link.
  LinkResult link(const std::vector<std::byte>& object, const std::string& symbol,
                  const std::vector<LinkSymbol>& symbols);
  void remove(llvm::orc::JITDylib& library) {
    const std::lock_guard lock(mutex_);
    llvm::consumeError(session_.removeJITDylib(library));
  }

 private:
  void* address_of(const std::string& name, const std::vector<LinkSymbol>& symbols) const {
    for (const auto& symbol : symbols) {
      if (symbol.name == name) return symbol.address;
    }
    if (is_of_sanitizer(name)) return address_in_sanitizer(name);
    if (is_vector_mathematics(name)) return vector_function(name);
    if (is_consistent_mathematics(name)) return consistent_function(name);
    if (is_of_quadruple_precision(name)) return dlsym(of_compiler_, name.c_str());
    return may_be_called(name) ? dlsym(mathematics_, name.c_str()) : nullptr;
  }

  llvm::Error define(llvm::orc::JITDylib& library, const std::vector<std::string>& undefined,
                     const std::vector<LinkSymbol>& symbols) {
    llvm::orc::SymbolMap addresses;
    for (const auto& name : undefined) {
      void* address = address_of(name, symbols);
      if (address == nullptr) {
        return error_of(refusal_of(name));
      }
      addresses[session_.intern(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                                          llvm::JITSymbolFlags::Exported};
    }
    return library.define(llvm::orc::absoluteSymbols(std::move(addresses)));
  }

  llvm::Expected<void*> place(llvm::orc::JITDylib& library, llvm::MemoryBufferRef bytes,
                              const std::string& symbol) {
    auto copy =
        llvm::MemoryBuffer::getMemBufferCopy(bytes.getBuffer(), bytes.getBufferIdentifier());
    if (auto error = layer_.add(library, std::move(copy))) return error;
    auto entry = session_.lookup({&library}, session_.intern(symbol));
    if (!entry) return entry.takeError();
    return entry->getAddress().toPtr<void*>();
  }

  std::mutex mutex_;  ///< one link at a time, so that `reported_` belongs to it
  std::string reported_;
  std::uint64_t count_ = 0;
  llvm::orc::ExecutionSession session_;
  llvm::orc::ObjectLinkingLayer layer_;
  void* mathematics_;  ///< never closed: the C library holds it anyway
  void* of_compiler_;  ///< likewise: programs in C++ have it
};

class OrcCode : public LinkedCode {
 public:
  OrcCode(OrcLinker& linker, llvm::orc::JITDylib& library, void* entry)
      : linker_(linker), library_(library), entry_(entry) {}
  ~OrcCode() override { linker_.remove(library_); }
  void* entry() const override { return entry_; }

 private:
  OrcLinker& linker_;
  llvm::orc::JITDylib& library_;
  void* entry_;
};

LinkResult OrcLinker::link(const std::vector<std::byte>& object, const std::string& symbol,
                           const std::vector<LinkSymbol>& symbols) {
  const std::lock_guard lock(mutex_);
  const llvm::StringRef text(reinterpret_cast<const char*>(object.data()), object.size());
  const std::string name = fmt::format("{}.{}", symbol, ++count_);
  const llvm::MemoryBufferRef bytes(text, name);
  auto undefined = check_object(bytes, symbol);
  if (!undefined) return {nullptr, llvm::toString(undefined.takeError())};

  reported_.clear();
  auto& library = session_.createBareJITDylib(name);
  auto error = define(library, *undefined, symbols);
  if (!error) {
    auto entry = place(library, bytes, symbol);
    if (entry) return {std::make_unique<OrcCode>(*this, library, *entry), {}};
    error = entry.takeError();
  }
  std::string message = llvm::toString(std::move(error));
  if (!reported_.empty()) message = reported_;
  llvm::consumeError(session_.removeJITDylib(library));
  return {nullptr, message};
}

/// Null if the process cannot map executable memory; `message` says why.
std::unique_ptr<OrcLinker> make_linker(std::string& message) {
  auto process = llvm::orc::SelfExecutorProcessControl::Create(
      std::make_shared<llvm::orc::SymbolStringPool>(),
      std::make_unique<llvm::orc::InPlaceTaskDispatcher>());
  if (!process) {
    message = llvm::toString(process.takeError());
    return nullptr;
  }
  return std::make_unique<OrcLinker>(std::move(*process));
}

/// @param message  set if null is returned
std::unique_ptr<Compiler> load_compiler(const Machine& machine, std::string& message) {
  const auto* const here = reinterpret_cast<const void*>(&load_compiler);
  const std::string path = library_folder(here) / "libop2_clang.so";
  const std::string exposure = exposure_of_file(path, writers_of_code(here));
  if (!exposure.empty()) {
    message = fmt::format("the compiler '{}' is not loaded, since {}; {}", path, exposure,
                          advice_on_exposure);
    return nullptr;
  }
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    message = fmt::format("cannot load the compiler: {}", dlerror());
    return nullptr;
  }
  std::string reason;
  const auto make =
      reinterpret_cast<CompilerFactory>(find_in_plugin(library, "op2_jit_compiler", reason));
  if (make != nullptr) return std::unique_ptr<Compiler>(make(machine));
  message = fmt::format("cannot use the compiler '{}': {}", path, reason);
  return nullptr;
}

class LlvmBackend : public Backend {
 public:
  LlvmBackend(Machine machine, std::unique_ptr<OrcLinker> linker)
      : machine_(std::move(machine)), linker_(std::move(linker)) {}

  TargetInfo target() const override { return machine_.info; }

  void prepare() override {
    std::call_once(loaded_, [this] { compiler_ = load_compiler(machine_, message_); });
  }

  CompileResult compile(const CompileRequest& request) override {
    prepare();
    if (compiler_ != nullptr) return compiler_->compile(request);
    return failed_compilation(CompileStatus::unavailable, message_);
  }

  std::string consistent_math() override {
    static const std::string build = build_of_consistent_library();
    return build;
  }

  LinkResult link(const std::vector<std::byte>& object, const std::string& symbol,
                  const std::vector<LinkSymbol>& symbols) override {
    return linker_->link(object, symbol, symbols);
  }

 private:
  const Machine machine_;
  std::unique_ptr<OrcLinker> linker_;
  std::once_flag loaded_;
  std::string message_;  ///< why there is no compiler
  std::unique_ptr<Compiler> compiler_;
};

}  // namespace
}  // namespace op2::jit

extern "C" __attribute__((visibility("default"))) const char* op2_jit_version() {
  return op2::jit::plugin_version();
}

extern "C" __attribute__((visibility("default"))) op2::jit::Backend* op2_jit_backend(
    const char* cpu, std::string* message) {
  using namespace op2::jit;
  const auto machine = find_machine(cpu != nullptr ? cpu : "", *message);
  auto linker = machine ? make_linker(*message) : nullptr;
  return linker ? new LlvmBackend(*machine, std::move(linker)) : nullptr;
}
