// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <mutex>
#include <string_view>

#include <dlfcn.h>
#include <fmt/format.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ExecutorProcessControl.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/ExecutionEngine/Orc/TaskDispatch.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>

#include <jit/llvm/build_id.hpp>
#include <jit/llvm/linker.hpp>
#include <jit/llvm/math_names.hpp>
#include <jit/llvm/recipe.hpp>

namespace op2::jit {
namespace {

// ---- machine

/// Features of the running machine; LLVM's map has no order.
std::vector<std::pair<std::string, bool>> host_features() {
  std::vector<std::pair<std::string, bool>> features;
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    features.emplace_back(feature.getKey().str(), feature.getValue());
  }
  std::sort(features.begin(), features.end());
  return features;
}

std::string joined(const std::vector<std::string>& words) {
  std::string list;
  for (const auto& word : words) list += (list.empty() ? "" : ",") + word;
  return list;
}

/// Of a CPU that the user named: what it has, as far as the running machine can tell.
/// @return false if the running machine lacks something; `message` lists it
bool add_features(const llvm::Target& target, Machine& machine, std::string& message) {
  const std::unique_ptr<llvm::MCSubtargetInfo> cpu(
      target.createMCSubtargetInfo(machine.info.triple, machine.info.cpu, ""));
  std::vector<std::string> present, lacking;
  for (const auto& [feature, in_host] : host_features()) {
    if (!cpu->checkFeatures("+" + feature)) continue;
    (in_host ? present : lacking).push_back("+" + feature);
  }
  machine.info.features = joined(present);
  machine.features = machine.info.features;
  message =
      fmt::format("this machine lacks what CPU '{}' has: {}", machine.info.cpu, joined(lacking));
  return lacking.empty();
}

/// Zen executes a gather or scatter as slowly as single loads and stores, and more besides.
void prefer_single_loads(Machine& machine) {
  if (!machine.info.cpu.starts_with("znver")) return;
  for (std::string* list : {&machine.info.features, &machine.features}) {
    *list += ",+prefer-no-gather,+prefer-no-scatter";
  }
}

void add_host_features(Machine& machine) {
  std::vector<std::string> present, all;
  for (const auto& [feature, in_host] : host_features()) {
    if (in_host) present.push_back("+" + feature);
    all.push_back((in_host ? "+" : "-") + feature);
  }
  machine.info.features = joined(present);
  machine.features = joined(all);
}

/// LLVM's version, its build (packagers patch), and what we hand to it.
std::string compiler_name() {
  const auto* in_llvm = reinterpret_cast<const void*>(&llvm::sys::getProcessTriple);
  return fmt::format("LLVM {} build {} recipe {}", LLVM_VERSION_STRING, build_id_of(in_llvm),
                     recipe_fingerprint());
}

// ---- checks of an object

std::string text_of(llvm::Error error) {
  return llvm::toString(std::move(error));
}

struct ObjectSymbols {
  std::vector<std::string> undefined;
  bool has_entry = false;
};

llvm::Expected<ObjectSymbols> symbols_of(const llvm::object::ObjectFile& object,
                                         const std::string& entry) {
  using llvm::object::SymbolRef;
  ObjectSymbols found;
  for (const auto& symbol : object.symbols()) {
    auto name = symbol.getName();
    if (!name) return name.takeError();
    auto flags = symbol.getFlags();
    if (!flags) return flags.takeError();
    if (*flags & SymbolRef::SF_FormatSpecific) continue;
    if (*flags & SymbolRef::SF_Undefined) {
      if (*name != "_GLOBAL_OFFSET_TABLE_") found.undefined.push_back(name->str());
    } else if (*name == entry && (*flags & SymbolRef::SF_Global)) {
      found.has_entry = true;
    }
  }
  return found;
}

/// An object that may be linked, or why not.
llvm::Expected<ObjectSymbols> inspect(llvm::MemoryBufferRef bytes, const std::string& entry) {
  auto object = llvm::object::ObjectFile::createELFObjectFile(bytes);
  if (!object) return object.takeError();
  const auto* elf = llvm::dyn_cast<llvm::object::ELFObjectFileBase>(object->get());
  const llvm::Triple host(llvm::sys::getProcessTriple());
  if (elf == nullptr || elf->getEType() != llvm::ELF::ET_REL) {
    return llvm::createStringError("it is no relocatable ELF file");
  }
  if (elf->getArch() != host.getArch()) {
    return llvm::createStringError("it is for another machine (" + elf->makeTriple().str() + ")");
  }
  auto symbols = symbols_of(**object, entry);
  if (symbols && !symbols->has_entry) {
    return llvm::createStringError("it does not define '" + entry + "'");
  }
  return symbols;
}

// ---- linking

bool is_allowed(std::string_view name) {
  const auto within = [name](const auto& list) {
    return std::any_of(list.begin(), list.end(), [name](std::string_view known) {
      return name == known ||
             (name.size() == known.size() + 1 && name.ends_with('f') && name.starts_with(known));
    });
  };
  return within(unary_functions) || within(binary_functions) || within(other_math_functions) ||
         std::find(library_functions.begin(), library_functions.end(), name) !=
             library_functions.end();
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

class OrcLinker : public Linker {
 public:
  explicit OrcLinker(std::unique_ptr<llvm::orc::ExecutorProcessControl> process)
      : session_(std::move(process)),
        layer_(session_),
        mathematics_(dlopen("libm.so.6", RTLD_NOW)) {
    session_.setErrorReporter([this](llvm::Error error) {
      reported_ += (reported_.empty() ? "" : "; ") + text_of(std::move(error));
    });
  }
  ~OrcLinker() override { llvm::consumeError(session_.endSession()); }

  LinkResult link(const std::vector<std::byte>& object, const std::string& symbol,
                  const std::vector<LinkSymbol>& symbols) override;
  void remove(llvm::orc::JITDylib& library) {
    const std::lock_guard lock(mutex_);
    llvm::consumeError(session_.removeJITDylib(library));
  }

 private:
  llvm::Error define(llvm::orc::JITDylib& library, const ObjectSymbols& wanted,
                     const std::vector<LinkSymbol>& given);
  llvm::Expected<void*> place(llvm::orc::JITDylib& library, llvm::MemoryBufferRef bytes,
                              const std::string& symbol);
  void* address_of(const std::string& name, const std::vector<LinkSymbol>& given) const;

  std::mutex mutex_;  ///< one link at a time, so that `reported_` belongs to it
  std::string reported_;
  std::uint64_t count_ = 0;
  llvm::orc::ExecutionSession session_;
  llvm::orc::ObjectLinkingLayer layer_;
  void* mathematics_;  ///< never closed: the C library holds it anyway
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

void* OrcLinker::address_of(const std::string& name, const std::vector<LinkSymbol>& given) const {
  for (const auto& symbol : given) {
    if (symbol.name == name) return symbol.address;
  }
  if (is_of_sanitizer(name)) return address_in_sanitizer(name);
  return is_allowed(name) ? dlsym(mathematics_, name.c_str()) : nullptr;
}

llvm::Error OrcLinker::define(llvm::orc::JITDylib& library, const ObjectSymbols& wanted,
                              const std::vector<LinkSymbol>& given) {
  llvm::orc::SymbolMap addresses;
  for (const auto& name : wanted.undefined) {
    void* address = address_of(name, given);
    if (address == nullptr) {
      return llvm::createStringError("it uses '" + name + "', which generated code may not use");
    }
    addresses[session_.intern(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                                        llvm::JITSymbolFlags::Exported};
  }
  return library.define(llvm::orc::absoluteSymbols(std::move(addresses)));
}

llvm::Expected<void*> OrcLinker::place(llvm::orc::JITDylib& library, llvm::MemoryBufferRef bytes,
                                       const std::string& symbol) {
  auto copy = llvm::MemoryBuffer::getMemBufferCopy(bytes.getBuffer(), bytes.getBufferIdentifier());
  if (auto error = layer_.add(library, std::move(copy))) return error;
  auto entry = session_.lookup({&library}, session_.intern(symbol));
  if (!entry) return entry.takeError();
  return entry->getAddress().toPtr<void*>();
}

LinkResult OrcLinker::link(const std::vector<std::byte>& object, const std::string& symbol,
                           const std::vector<LinkSymbol>& symbols) {
  const std::lock_guard lock(mutex_);
  const llvm::StringRef text(reinterpret_cast<const char*>(object.data()), object.size());
  const std::string name = fmt::format("{}.{}", symbol, ++count_);
  const llvm::MemoryBufferRef bytes(text, name);
  auto wanted = inspect(bytes, symbol);
  if (!wanted) return {nullptr, text_of(wanted.takeError())};

  reported_.clear();
  auto& library = session_.createBareJITDylib(name);
  auto error = define(library, *wanted, symbols);
  if (!error) {
    auto entry = place(library, bytes, symbol);
    if (entry) return {std::make_unique<OrcCode>(*this, library, *entry), {}};
    error = entry.takeError();
  }
  std::string message = text_of(std::move(error));
  if (!reported_.empty()) message = reported_;
  llvm::consumeError(session_.removeJITDylib(library));
  return {nullptr, message};
}

}  // namespace

std::optional<Machine> find_machine(const std::string& cpu, std::string& message) {
  llvm::InitializeNativeTarget();
  Machine machine;
  machine.info.triple = llvm::sys::getProcessTriple();
  machine.info.compiler = compiler_name();
  machine.info.cpu = cpu.empty() ? llvm::sys::getHostCPUName().str() : cpu;
  const auto* target = llvm::TargetRegistry::lookupTarget(machine.info.triple, message);
  if (target == nullptr) return std::nullopt;
  const std::unique_ptr<llvm::MCSubtargetInfo> generic(
      target->createMCSubtargetInfo(machine.info.triple, "", ""));
  if (!generic->isCPUStringValid(machine.info.cpu)) {
    message = fmt::format("LLVM knows no CPU '{}' for {}", machine.info.cpu, machine.info.triple);
    return std::nullopt;
  }
  if (cpu.empty()) {
    add_host_features(machine);
  } else if (!add_features(*target, machine, message)) {
    return std::nullopt;
  }
  prefer_single_loads(machine);
  return machine;
}

std::unique_ptr<Linker> make_linker(std::string& message) {
  auto process = llvm::orc::SelfExecutorProcessControl::Create(
      std::make_shared<llvm::orc::SymbolStringPool>(),
      std::make_unique<llvm::orc::InPlaceTaskDispatcher>());
  if (!process) {
    message = text_of(process.takeError());
    return nullptr;
  }
  return std::make_unique<OrcLinker>(std::move(*process));
}

}  // namespace op2::jit
