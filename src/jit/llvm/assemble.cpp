// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/assemble.hpp>

#include <memory>
#include <utility>

#include <llvm/ADT/SmallVector.h>
#include <llvm/MC/MCAsmBackend.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCObjectWriter.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

namespace op2::jit {
namespace {

void keep_first(const llvm::SMDiagnostic& message, void* text) {
  auto& first = *static_cast<std::string*>(text);
  if (first.empty() && message.getKind() == llvm::SourceMgr::DK_Error)
    first = message.getMessage().str();
}

/// Writes machine code to an object.
std::unique_ptr<llvm::MCStreamer> streamer_to(llvm::raw_pwrite_stream& stream,
                                              const llvm::TargetMachine& machine,
                                              llvm::MCContext& context) {
  const llvm::Target& target = machine.getTarget();
  const llvm::MCSubtargetInfo& features = *machine.getMCSubtargetInfo();
  std::unique_ptr<llvm::MCAsmBackend> backend(
      target.createMCAsmBackend(features, *machine.getMCRegisterInfo(), machine.Options.MCOptions));
  std::unique_ptr<llvm::MCCodeEmitter> emitter(
      target.createMCCodeEmitter(*machine.getMCInstrInfo(), context));
  auto writer = backend->createObjectWriter(stream);
  return std::unique_ptr<llvm::MCStreamer>(
      target.createMCObjectStreamer(machine.getTargetTriple(), context, std::move(backend),
                                    std::move(writer), std::move(emitter), features));
}

}  // namespace

AssembledObject assemble(const std::string& assembly, const llvm::TargetMachine& machine) {
  AssembledObject object;
  const llvm::Target& target = machine.getTarget();
  const llvm::MCSubtargetInfo& features = *machine.getMCSubtargetInfo();
  const llvm::MCTargetOptions& options = machine.Options.MCOptions;
  llvm::SourceMgr sources;
  sources.setDiagHandler(&keep_first, &object.message);
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(assembly), {});
  llvm::MCContext context(machine.getTargetTriple(), machine.getMCAsmInfo(),
                          machine.getMCRegisterInfo(), &features, &sources, &options);
  const std::unique_ptr<llvm::MCObjectFileInfo> sections(
      target.createMCObjectFileInfo(context, true));
  context.setObjectFileInfo(sections.get());
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  const auto streamer = streamer_to(stream, machine, context);
  const std::unique_ptr<llvm::MCAsmParser> parser(
      llvm::createMCAsmParser(sources, context, *streamer, *machine.getMCAsmInfo()));
  const std::unique_ptr<llvm::MCTargetAsmParser> instructions(
      target.createMCAsmParser(features, *parser, *machine.getMCInstrInfo(), options));
  parser->setTargetParser(*instructions);
  if (parser->Run(false)) return object;
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
  object.bytes.assign(begin, begin + bytes.size());
  return object;
}

}  // namespace op2::jit
