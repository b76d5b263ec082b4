// SPDX-License-Identifier: BSD-3-Clause
// All that differs between LLVM 17 and 22. Functions of Clang and of machine code are templates,
// so that what includes this needs none of their large headers.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/ADT/Twine.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/Support/CodeGen.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>

#if LLVM_VERSION_MAJOR >= 21
#include <llvm/ExecutionEngine/Orc/AbsoluteSymbols.h>
#include <llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h>
#endif
#if LLVM_VERSION_MAJOR >= 22
#include <clang/Driver/CreateInvocationFromArgs.h>
#endif

namespace op2::jit {

// LLVM.

inline llvm::Error error_of(const llvm::Twine& text) {
  return llvm::make_error<llvm::StringError>(text, llvm::inconvertibleErrorCode());
}

inline llvm::StringMap<bool> features_of_host() {
#if LLVM_VERSION_MAJOR >= 19
  return llvm::sys::getHostCPUFeatures();
#else
  llvm::StringMap<bool> features;
  llvm::sys::getHostCPUFeatures(features);
  return features;
#endif
}

// What a triple is where a target, and a machine of one, is asked for.
#if LLVM_VERSION_MAJOR >= 22
using TargetTriple = llvm::Triple;
#else
using TargetTriple = llvm::StringRef;
#endif
#if LLVM_VERSION_MAJOR >= 21
using MachineTriple = llvm::Triple;
#else
using MachineTriple = llvm::StringRef;
#endif

#if LLVM_VERSION_MAJOR >= 18
inline constexpr auto all_optimisations = llvm::CodeGenOptLevel::Aggressive;
inline constexpr auto assembly_file = llvm::CodeGenFileType::AssemblyFile;
#else
inline constexpr auto all_optimisations = llvm::CodeGenOpt::Aggressive;
inline constexpr auto assembly_file = llvm::CGFT_AssemblyFile;
#endif

/// Writes machine code to an object.
/// @param parts  llvm::Triple, MCContext, and pointers to MCAsmBackend, MCObjectWriter, MCCodeEmitter
template <class Target, class Features, class... Parts>
auto object_streamer(const Target& target, const Features& features, Parts&&... parts) {
#if LLVM_VERSION_MAJOR >= 19
  return target.createMCObjectStreamer(std::forward<Parts>(parts)..., features);
#else
  return target.createMCObjectStreamer(std::forward<Parts>(parts)..., features, false, false,
                                       false);
#endif
}

/// Whether the run time of AddressSanitizer fits. 17 always asks, so that sanitized code does not
/// link.
template <class Options>
void leave_out_version_check([[maybe_unused]] Options& options) {
#if LLVM_VERSION_MAJOR >= 18
  options.InsertVersionCheck = false;
#endif
}

/// A function of several numbers; see VectorFunction. The names outlive the description.
inline llvm::VecDesc description_of(llvm::StringRef scalar, llvm::StringRef vector, unsigned width,
                                    [[maybe_unused]] llvm::StringRef shape) {
  const auto lanes = llvm::ElementCount::getFixed(width);
#if LLVM_VERSION_MAJOR >= 20
  return {scalar, vector, lanes, false, shape, std::nullopt};
#elif LLVM_VERSION_MAJOR >= 18
  return {scalar, vector, lanes, false, shape};
#else
  return {scalar, vector, lanes, false};
#endif
}

inline llvm::Function* intrinsic(llvm::Module& module, llvm::Intrinsic::ID id, llvm::Type* type) {
#if LLVM_VERSION_MAJOR >= 20
  return llvm::Intrinsic::getOrInsertDeclaration(&module, id, {type});
#else
  return llvm::Intrinsic::getDeclaration(&module, id, {type});
#endif
}

// Clang.

using Files = llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>;

template <class Compiler, class Invocation>
std::unique_ptr<Compiler> compiler_for(std::shared_ptr<Invocation> invocation) {
#if LLVM_VERSION_MAJOR >= 21
  return std::make_unique<Compiler>(std::move(invocation));
#else
  auto compiler = std::make_unique<Compiler>();
  compiler->setInvocation(std::move(invocation));
  return compiler;
#endif
}

/// To be called before create_diagnostics.
template <class Compiler>
void set_files(Compiler& compiler, Files files) {
#if LLVM_VERSION_MAJOR >= 22
  compiler.setVirtualFileSystem(std::move(files));
  compiler.createFileManager();
#else
  compiler.createFileManager(std::move(files));
#endif
}

/// @param consumer  of the messages; outlives the compiler
template <class Compiler, class Consumer>
void create_diagnostics(Compiler& compiler, Consumer& consumer) {
#if LLVM_VERSION_MAJOR == 20 || LLVM_VERSION_MAJOR == 21
  compiler.createDiagnostics(*llvm::vfs::getRealFileSystem(), &consumer, false);
#else
  compiler.createDiagnostics(&consumer, false);
#endif
}

/// Of no compiler.
/// @param options  outlive the result
template <class Compiler, class Options, class Consumer>
auto diagnostics_of(Options& options, Consumer& consumer) {
#if LLVM_VERSION_MAJOR >= 21
  return Compiler::createDiagnostics(*llvm::vfs::getRealFileSystem(), options, &consumer, false);
#elif LLVM_VERSION_MAJOR >= 20
  return Compiler::createDiagnostics(*llvm::vfs::getRealFileSystem(), new Options(options),
                                     &consumer, false);
#else
  return Compiler::createDiagnostics(new Options(options), &consumer, false);
#endif
}

/// @param file  of those that a source manager has read
template <class File>
llvm::StringRef name_of_file(const File& file) {
#if LLVM_VERSION_MAJOR >= 18
  return file.getName();
#else
  return file->getName();
#endif
}

template <class Policy>
void print_canonical_types(Policy& policy) {
#if LLVM_VERSION_MAJOR >= 21
  policy.PrintAsCanonical = true;
#else
  policy.PrintCanonicalTypes = true;
#endif
}

/// The using-declaration by which a type was found.
template <class UsingType>
auto* shadow_of(const UsingType& type) {
#if LLVM_VERSION_MAJOR >= 22
  return type.getDecl();
#else
  return type.getFoundDecl();
#endif
}

template <class Context, class Record>
auto type_of_class(const Context& context, const Record& record) {
#if LLVM_VERSION_MAJOR >= 22
  return context.getCanonicalTagType(&record);
#else
  return context.getRecordType(&record);
#endif
}

/// The namespace or alias of one that a qualifier ends with; null if it ends with another thing.
template <class Qualifier>
auto* namespace_of(const Qualifier& qualifier) {
#if LLVM_VERSION_MAJOR >= 22
  return qualifier.getAsNamespaceAndPrefix().Namespace;
#else
  return qualifier.getNestedNameSpecifier()->getAsNamespaceAlias();
#endif
}

}  // namespace op2::jit
